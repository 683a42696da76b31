import type { Answer } from '#tests/peers/forge/answer.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { unprocessable } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { paged } from '../paging.ts'
import { refresh } from '../pull-requests.ts'
import type { PullRequest, Repository } from '../state.ts'
import { showPull } from './show-pull.ts'

/** A commit on the default branch has the merged ones that brought it there, another one the open ones too. */
export async function listPullsOfCommit(call: RepositoryCall): Promise<Answer> {
  const { repository, links, parameters, state } = call
  const { git, defaultBranch } = repository
  const sha = parameters['commit_sha'] ?? ''
  if ((await readCommit(git, sha)) === null) throw unprocessable(`No commit found for SHA: ${sha}`)
  const isMerged = (await revisions(repository, [`refs/heads/${defaultBranch}`])).includes(sha)
  const found: PullRequest[] = []
  for (const pull of repository.pulls.values()) {
    await refresh(state, repository, pull)
    const isWanted = pull.mergedAt !== null || (!isMerged && pull.state === 'open')
    if (isWanted && (await commitsOf(repository, pull)).has(sha)) found.push(pull)
  }
  return paged(call, found, (pull) => showPull(links, repository, pull))
}

/** The commits that it proposed, and those that it has become on the base. */
async function commitsOf(repository: Repository, pull: PullRequest): Promise<ReadonlySet<string>> {
  const { headCommit, baseCommit, mergeCommit } = pull
  const [proposed, merged] = await Promise.all([
    revisions(repository, [headCommit, `^${baseCommit}`]),
    mergeCommit === null
      ? []
      : revisions(repository, ['--first-parent', mergeCommit, `^${baseCommit}`]),
  ])
  return new Set([...proposed, ...merged])
}

async function revisions({ git }: Repository, args: readonly string[]): Promise<readonly string[]> {
  const output = await git.git(['rev-list', ...args])
  return output.toString().split('\n').filter(Boolean)
}
