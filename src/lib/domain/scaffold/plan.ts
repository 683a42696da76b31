import type { WrittenFile } from '../../ports/git-host.ts'
import type { RepositoryId, RepositoryPath } from '../../names.ts'
import { lazily } from '../../concurrency/lazily.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  appPath,
  baseKustomization,
  basePath,
  componentPath,
  tenantApp,
} from '../gitops/application.ts'
import { toYaml } from '../../yaml/write.ts'
import { withCodeowners } from './codeowners.ts'
import { manifestFault } from './manifests.ts'
import { valuesOf } from './placeholders.ts'
import { broken, type RenderFailure, renderPart } from './render.ts'
import type { ScaffoldSpec } from './spec.ts'
import type { Template } from './template.ts'
import type { StepFailure } from './failure.ts'
import type { StepContext } from './steps/step.ts'
import { loadTemplates, type TemplatesGitHost } from './templates.ts'

/** The files of both repositories. Deterministic: the same spec makes the same bytes. */
export interface Plan {
  readonly repository: readonly WrittenFile[]
  readonly gitops: readonly WrittenFile[]
}

export interface PlanSource {
  readonly gitHost: TemplatesGitHost
  readonly templatesRepository: RepositoryId
  readonly catalogDirectory: RepositoryPath
}

export async function makePlan(
  source: PlanSource,
  spec: ScaffoldSpec,
  template: Template,
): Promise<Result<Plan, RenderFailure>> {
  const repository = await planRepository(source, spec, template)
  if (!repository.ok) return repository
  const gitops = await planGitops(source, spec, template)
  return gitops.ok ? ok({ repository: repository.value, gitops: gitops.value }) : gitops
}

async function planRepository(
  { gitHost, templatesRepository: repository }: PlanSource,
  spec: ScaffoldSpec,
  template: Template,
): Promise<Result<readonly WrittenFile[], RenderFailure>> {
  const part = { part: 'skeleton', below: '' } as const
  const rendered = await renderPart({ gitHost, repository }, template, part, valuesFor(spec))
  return rendered.ok ? ok(withCodeowners(rendered.value, spec.codeowners ?? '')) : rendered
}

/** The built-in base needs no template: the run can finish after its template is gone. */
async function planGitops(
  { gitHost, templatesRepository: repository, catalogDirectory }: PlanSource,
  spec: ScaffoldSpec,
  template: Template | null,
): Promise<Result<readonly WrittenFile[], RenderFailure>> {
  const component = componentFile(catalogDirectory, spec)
  if (template === null || template.gitops.length === 0) {
    return ok([...builtInBase(spec), component])
  }
  const below = `${appPath(spec.team, spec.app)}/base/`
  const part = { part: 'gitops', below } as const
  const rendered = await renderPart({ gitHost, repository }, template, part, valuesFor(spec))
  if (!rendered.ok) return rendered
  const fault = manifestFault(rendered.value)
  return fault === undefined ? ok([...rendered.value, component]) : broken(fault)
}

export type RunFiles = Pick<StepContext, 'repositoryFiles' | 'gitopsFiles'>

/** The files of a run, rendered once per attempt, from the commit of the template that the run is pinned to. */
export function runFiles(source: PlanSource, spec: ScaffoldSpec): RunFiles {
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

const ownerOf = ({ org, team }: Pick<ScaffoldSpec, 'org' | 'team'>): string =>
  `group:${org}/${team}`

const valuesFor = (spec: ScaffoldSpec) =>
  valuesOf(
    {
      appName: spec.app,
      description: spec.description,
      team: spec.team,
      namespace: spec.namespace,
      org: spec.org,
      owner: ownerOf(spec),
      image: spec.image,
      templateId: spec.templateId,
      templateVersion: spec.templateVersion,
      databaseEnabled: String(spec.features.database),
      externalSecretsEnabled: String(spec.features.externalSecrets),
      ingressEnabled: String(spec.features.ingress),
    },
    spec.parameters ?? {},
  )

const write = (path: RepositoryPath, content: object): WrittenFile => ({
  kind: 'write',
  path,
  bytes: toYaml(content),
})

function builtInBase(spec: ScaffoldSpec): readonly WrittenFile[] {
  const { team, app } = spec
  return [
    write(basePath(team, app, 'kustomization.yaml'), baseKustomization(spec)),
    write(basePath(team, app, 'xtenant-app.yaml'), tenantApp(spec.tenantAppApiVersion, spec)),
  ]
}

function componentFile(catalogDirectory: RepositoryPath, spec: ScaffoldSpec): WrittenFile {
  const { team, app, description, image, org } = spec
  return write(componentPath(catalogDirectory, team, app), {
    apiVersion: 'portico/v1',
    kind: 'Component',
    metadata: {
      name: app,
      ...(description !== '' && { description }),
      annotations: {
        'portico/app-path': appPath(team, app),
        'portico/image': image,
        'portico/repository': `${org}/${app}`,
        'portico/template': `${spec.templateId}@${spec.templateVersion}`,
        'portico/template-revision': spec.templateRevision,
      },
    },
    spec: { type: spec.componentType, lifecycle: 'experimental', owner: ownerOf(spec) },
  })
}
