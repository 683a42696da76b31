import { createLru } from '../../../concurrency/lru.ts'
import { Type } from 'typebox'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { Mirror } from '../../../git/mirror.ts'
import type { RemoteRefs } from '../../../git/remote.ts'
import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, HostApi, PullRequest } from '../../../ports/git-host.ts'
import type { MergedCommit } from '../../../ports/git-host/commit.ts'
import { err, ok, type Result } from '../../../result.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { type KnownRepositories, nameOf, pathOf } from '../hosted/known-repositories.ts'

/** Pull requests of one head; all but one were closed without a merge, or were merged elsewhere. */
const SAME_HEAD_MAX = 5
const REPOSITORIES_MAX = 100
/** The last commit of each pull request; it stays when the branch goes. */
const PULL_HEADS = 'refs/pull/*/head'

const readNumber = answerReader(
  'the pull request of a commit',
  Type.Object({ number: Type.Integer({ minimum: 1 }) }),
)

export interface MergedPullMeans {
  readonly client: Pick<HostClient, 'read'>
  readonly known: Pick<KnownRepositories, 'missing' | 'requireComplete'>
  readonly mirror: Pick<Mirror, 'listRemoteRefs'>
  readonly find: HostApi['findPullRequests']
}

/** Gitea knows the pull request of a merge commit, and keeps the head of each pull request as a ref. */
export function createFindMerged({
  client,
  known,
  mirror,
  find,
}: MergedPullMeans): HostApi['findMergedPullRequest'] {
  const kept = createLru<string, RemoteRefs>(REPOSITORIES_MAX)
  const flights = createSingleFlight<Result<RemoteRefs, GitFailure>>()

  /** Commits of one page of a history share a listing. */
  async function listNow(repository: RepositoryId): Promise<Result<RemoteRefs, GitFailure>> {
    const key = nameOf(repository)
    const refs = await flights.join(key, () => mirror.listRemoteRefs(repository, PULL_HEADS))
    if (refs.ok) kept.set(key, refs.value)
    return refs
  }

  return async function findMerged(repository, { commit, base }: MergedCommit) {
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
    const before = numbersOf(kept.get(nameOf(repository)), commit)
    const merged = await findAmong(before)
    if (!merged.ok || merged.value !== null) return merged
    const now = await listNow(repository)
    if (!now.ok) return now
    return findAmong(numbersOf(now.value, commit).filter((number) => !before.includes(number)))
  }
}

/** Numbers of the pull requests with this last commit, newest first. */
const numbersOf = (refs: RemoteRefs = new Map(), commit: string): readonly number[] =>
  [...refs]
    .filter(([, id]) => id === commit)
    .flatMap(([ref]) => Number(/^refs\/pull\/([1-9]\d{0,9})\/head$/.exec(ref)?.[1] ?? []) || [])
    .toSorted((one, other) => other - one)
