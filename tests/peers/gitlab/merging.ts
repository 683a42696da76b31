import { writeCommit } from '#tests/peers/forge/git/commits.ts'
import { mergedTree } from '#tests/peers/forge/git/merging.ts'
import type { MergeRequest, Project, State } from './state.ts'

/** Merges as a maintainer does in the browser. */
export async function acceptMergeRequest(
  state: State,
  project: Project,
  request: MergeRequest,
): Promise<void> {
  const { git } = project
  const base = await git.reference(`refs/heads/${request.target}`)
  const tree = base === null ? null : await mergedTree(git, base, request.sha)
  if (base === null || tree === null) throw new Error('it cannot be merged')
  const by = state.addUser('maintainer')
  const person = { name: by.username, email: 'maintainer@example.org', at: 1_700_000_001 }
  const merge = await writeCommit(git, {
    tree,
    parents: [base, request.sha],
    author: person,
    committer: person,
    message: `Merge branch '${request.source}' into '${request.target}'\n`,
    isSigned: false,
  })
  await git.updateReference(`refs/heads/${request.target}`, merge)
  request.state = 'merged'
  request.merged = { at: Date.now(), by, merge, squash: null }
  await state.afterPush(project)
}
