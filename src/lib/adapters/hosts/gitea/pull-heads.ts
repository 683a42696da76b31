import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import { ObjectId, type RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import type { HostClient } from '../hosted/api/client.ts'
import { type KnownRepositories, nameOf, pathOf } from '../hosted/known-repositories.ts'

const REPOSITORIES_MAX = 100

const readRefs = answerReader(
  'refs',
  Type.Array(Type.Object({ ref: Type.String(), object: Type.Object({ sha: named(ObjectId) }) })),
)

/** Numbers of pull requests by their last commit, newest first. */
type Heads = ReadonlyMap<ObjectId, readonly number[]>
type HeadsResult = Result<Heads, GitFailure>

export type PullHeads = ReturnType<typeof createPullHeads>

/** Last commits of the pull requests of a repository, from the refs `refs/pull/<number>/head`, which stay when a branch goes. */
export function createPullHeads(
  client: Pick<HostClient, 'read'>,
  known: Pick<KnownRepositories, 'missing'>,
) {
  const kept = new LRUCache<string, Heads>({ max: REPOSITORIES_MAX })
  const flights = createSingleFlight<HeadsResult>()

  async function list(repository: RepositoryId): Promise<HeadsResult> {
    const answer = await client.read(`${pathOf(repository)}/git/refs/pull`)
    if (!answer.ok) return answer
    if (answer.value.status !== 200) {
      const missing = await known.missing(repository, answer.value, 'commit')
      const hasNone = missing.kind === 'git_not_found' && missing.what === 'commit'
      return hasNone ? ok(new Map()) : err(missing)
    }
    const refs = readRefs(answer.value)
    if (!refs.ok) return refs
    const heads = new Map<ObjectId, number[]>()
    for (const { ref, object } of refs.value) {
      const [, number] = /^refs\/pull\/([1-9]\d{0,9})\/head$/.exec(ref) ?? []
      if (number === undefined) continue
      heads.set(object.sha, [...(heads.get(object.sha) ?? []), Number(number)])
    }
    for (const numbers of heads.values()) numbers.sort((one, other) => other - one)
    return ok(heads)
  }

  return {
    /** Numbers of the pull requests with this last commit, newest first, as of the listing in memory. */
    known: (repository: RepositoryId, commit: ObjectId): readonly number[] =>
      kept.get(nameOf(repository))?.get(commit) ?? [],

    /** As of now. Commits of one page of a history share a listing. */
    async now(
      repository: RepositoryId,
      commit: ObjectId,
    ): Promise<Result<readonly number[], GitFailure>> {
      const heads = await flights.join(nameOf(repository), () => list(repository))
      if (!heads.ok) return heads
      kept.set(nameOf(repository), heads.value)
      return ok(heads.value.get(commit) ?? [])
    },
  }
}
