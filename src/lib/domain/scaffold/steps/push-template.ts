import { err, ok } from '../../../result.ts'
import type { Step } from './step.ts'

/** Verifies that the repository has every file of the template, whatever the host answered to its creation. */
export const pushTemplate: Step = {
  announce: ({ spec: { templateId, templateVersion } }) =>
    `Filling the repository from ${templateId} ${templateVersion}`,
  async run({ spec, repository, repositoryHead, repositoryFiles }, { gitHost }) {
    const planned = await repositoryFiles()
    if (!planned.ok) return planned
    const head = await repositoryHead()
    if (!head.ok) return head
    const { commit } = head.value
    const listed = await gitHost.listFiles(repository, { commit })
    if (!listed.ok) return listed
    const paths = new Set(listed.value.files.map(({ path }) => path))
    const files = planned.value
    if (!files.every(({ path }) => paths.has(path))) {
      return err({ kind: 'git_host_error', reason: 'files of the template are missing' })
    }
    return ok({
      kind: 'complete',
      message: `${files.length} files from ${spec.templateId}, commit ${commit.slice(0, 7)}`,
      made: { commit },
    })
  },
}
