import { err, ok } from '../../../result.ts'
import type { Step } from './step.ts'

/** Creates the repository with the template as its first commit, in one effect: nobody clones an incomplete repository. */
export const createRepo: Step = {
  announce: ({ spec: { org, app } }) => `Creating ${org}/${app}`,
  async run({ runId, spec, author, repository, repositoryFiles, note }, { gitHost }) {
    const files = await repositoryFiles()
    if (!files.ok) return files
    const held = await note({})
    if (!held.ok) return held
    const { templateId, templateVersion, org, app } = spec
    const created = await gitHost.createRepository(repository, {
      description: spec.description,
      team: spec.team,
      marker: runId,
      files: files.value,
      message: `Start ${app} from ${templateId} ${templateVersion}\n\nPortico-Run: ${runId}\n`,
      author,
    })
    if (!created.ok) {
      return created.error.kind === 'git_repository_exists'
        ? err({ kind: 'already_exists', what: 'repository' })
        : created
    }
    const { url, head } = created.value
    return ok({
      kind: 'complete',
      message: `Created ${org}/${app}`,
      made: { repoUrl: url, commit: head.commit },
    })
  },
}
