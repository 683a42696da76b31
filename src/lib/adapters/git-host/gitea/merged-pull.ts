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
  const numbers: number[] = []
  const answer = await client.read(`${pathOf(repository)}${apiPath`/commits/${commit}/pull`}`)
  if (!answer.ok) return answer
  if (answer.value.status === 200) {
    const read = readNumber(answer.value)
    if (!read.ok) return read
    numbers.push(read.value.number)
  } else if (answer.value.status !== 404) {
    return err(await known.missing(repository, answer.value, 'commit'))
  } else {
    const ofHead = await heads.numbersOf(repository, commit)
    if (!ofHead.ok) return ofHead
    numbers.push(...ofHead.value.slice(0, SAME_HEAD_MAX))
  }
  for (const number of numbers) {
    const found = await find(repository, { number })
    if (!found.ok) return found
    const [pull] = found.value
    if (pull?.state === 'merged' && pull.base === base) return ok(pull)
  }
  return ok(null)
}
