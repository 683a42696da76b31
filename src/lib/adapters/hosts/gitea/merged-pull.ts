import { Type } from 'typebox'
import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import type { MergedCommit } from '../../../ports/git-host/history.ts'
import { err, ok, type Result } from '../../../result.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { type KnownRepositories, pathOf } from '../hosted/known-repositories.ts'
import type { PullHeads } from './pull-heads.ts'

/** Pull requests of one head; all but one were closed without a merge, or were merged elsewhere. */
const SAME_HEAD_MAX = 5

const readNumber = answerReader(
  'the pull request of a commit',
  Type.Object({ number: Type.Integer({ minimum: 1 }) }),
)

export interface MergedPullMeans {
  readonly client: Pick<HostClient, 'read'>
  readonly known: Pick<KnownRepositories, 'missing' | 'requireComplete'>
  readonly heads: PullHeads
  readonly find: GitHost['findPullRequests']
}

/** Gitea knows the pull request of a merge commit, and keeps the head of each pull request as a ref. */
export async function findMergedPullRequest(
  { client, known, heads, find }: MergedPullMeans,
  repository: RepositoryId,
  { commit, base }: MergedCommit,
): Promise<Result<PullRequest | null, GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  /** The merged one among these. */
  const findAmong = async (
    numbers: readonly number[],
  ): Promise<Result<PullRequest | null, GitFailure>> => {
    for (const number of numbers.slice(0, SAME_HEAD_MAX)) {
      const found = await find(repository, { number })
      if (!found.ok) return found
      const [pull] = found.value
      if (pull?.state === 'merged' && pull.base === base) return ok(pull)
    }
    return ok(null)
  }

  const answer = await client.read(`${pathOf(repository)}${apiPath`/commits/${commit}/pull`}`)
  if (!answer.ok) return answer
  if (answer.value.status === 200) {
    const read = readNumber(answer.value)
    return read.ok ? await findAmong([read.value.number]) : read
  }
  if (answer.value.status !== 404) {
    return err(await known.missing(repository, answer.value, 'commit'))
  }
  const before = heads.known(repository, commit)
  const merged = await findAmong(before)
  if (!merged.ok || merged.value !== null) return merged
  const now = await heads.now(repository, commit)
  return now.ok ? await findAmong(now.value.filter((number) => !before.includes(number))) : now
}
