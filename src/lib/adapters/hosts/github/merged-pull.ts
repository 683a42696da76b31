import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import type { MergedCommit } from '../../../ports/git-host/commit.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath } from '../hosted/api/client.ts'
import { pathOf } from '../hosted/known-repositories.ts'
import { readPulls, toPullRequest } from '../hosted/pull-answer.ts'
import type { Hosted } from '../hosted/index.ts'

const PER_PAGE = 100

/** GitHub knows the pull requests of every commit that they brought, but names nobody who merged in a list. */
export async function findMergedPullRequest(
  { client, known, clock }: Pick<Hosted, 'client' | 'known' | 'clock'>,
  find: GitHost['findPullRequests'],
  repository: RepositoryId,
  { commit, base }: MergedCommit,
): Promise<Result<PullRequest | null, GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  const path = `${pathOf(repository)}${apiPath`/commits/${commit}/pulls`}`
  const answer = await client.read(path, { query: { per_page: PER_PAGE } })
  if (!answer.ok) return answer
  if (answer.value.status !== 200) {
    const missing = await known.missing(repository, answer.value, 'commit')
    const isUnknown = missing.kind === 'git_not_found' && missing.what === 'commit'
    return isUnknown ? ok(null) : err(missing)
  }
  const read = readPulls(answer.value)
  if (!read.ok) return read
  const reading = { repository, now: clock.now(), settlingMs: 0 }
  const merged = read.value
    .map((pull) => toPullRequest(pull, reading))
    .filter((pull) => pull !== null)
    .filter((pull) => pull.state === 'merged' && pull.base === base)
    .toSorted((one, other) => (one.closedAt ?? 0) - (other.closedAt ?? 0))
  const pull =
    merged.find(({ mergeCommit }) => mergeCommit === commit) ??
    merged.find(({ head }) => head.commit === commit) ??
    // Another commit of a branch, or of a rebase. Later ones contained it already.
    merged[0]
  if (pull === undefined) return ok(null)
  const whole = await find(repository, { number: pull.number })
  return whole.ok ? ok(whole.value[0] ?? pull) : whole
}
