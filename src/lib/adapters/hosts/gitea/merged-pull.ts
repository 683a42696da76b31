import { Type } from 'typebox'
import type { HostApi } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { type KnownRepositories, pathOf } from '../hosted/known-repositories.ts'

const readNumber = answerReader(
  'the pull request of a commit',
  Type.Object({ number: Type.Integer({ minimum: 1 }) }),
)

export interface MergedPullMeans {
  readonly client: Pick<HostClient, 'read'>
  readonly known: Pick<KnownRepositories, 'missing' | 'requireComplete'>
  readonly find: HostApi['findPullRequests']
}

export const createFindMerged =
  ({ client, known, find }: MergedPullMeans): HostApi['findMergedPullRequest'] =>
  async (repository, { commit, base }) => {
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const answer = await client.read(`${pathOf(repository)}${apiPath`/commits/${commit}/pull`}`)
    if (!answer.ok) return answer
    const { status } = answer.value
    if (status === 404) return ok(null)
    if (status !== 200) return err(await known.missing(repository, answer.value, 'commit'))
    const read = readNumber(answer.value)
    if (!read.ok) return read
    const found = await find(repository, { number: read.value.number })
    if (!found.ok) return found
    return ok(found.value.find((pull) => pull.state === 'merged' && pull.base === base) ?? null)
  }
