import { lazily } from '../../concurrency/lazily.ts'
import { err, ok, type Result } from '../../result.ts'
import type { StepFailure } from './failure.ts'
import { planGitops, planRepository, type PlanSource } from './plan.ts'
import type { ScaffoldSpec } from './spec.ts'
import type { StepContext } from './steps/step.ts'
import type { Template } from './template.ts'
import { loadTemplates } from './templates.ts'

export type RunFiles = Pick<StepContext, 'repositoryFiles' | 'gitopsFiles'>

/**
 * The files of a run, rendered when they are first wanted in a try, and once: from the commit that the run was pinned to,
 * whatever the template has become since.
 */
export function filesOf(source: PlanSource, spec: ScaffoldSpec): RunFiles {
  const template = lazily(() => pinnedTemplate(source, spec))
  return {
    repositoryFiles: lazily(async () => {
      const found = await template()
      return found.ok ? planRepository(source, spec, found.value) : found
    }),
    gitopsFiles: lazily(async () => {
      if (!spec.templateHasBase) return planGitops(source, spec, null)
      const found = await template()
      return found.ok ? planGitops(source, spec, found.value) : found
    }),
  }
}

async function pinnedTemplate(
  { gitHost, templatesRepository }: PlanSource,
  { templateId, templateRevision }: ScaffoldSpec,
): Promise<Result<Template, StepFailure>> {
  const listed = await loadTemplates(gitHost, templatesRepository, templateRevision)
  if (!listed.ok) {
    const isGone = listed.error.kind === 'git_not_found'
    return isGone ? err({ kind: 'template_gone' }) : listed
  }
  const found = listed.value.templates.find(({ id }) => id === templateId)
  return found === undefined ? err({ kind: 'template_gone' }) : ok(found)
}
