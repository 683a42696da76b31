import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import { ObjectId, type RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import type { HostClient } from '../hosted/api/client.ts'
import { type KnownRepositories, nameOf, pathOf } from '../hosted/known-repositories.ts'

const REPOSITORIES_MAX = 100
/** A listing has all of them, so that the commits of a page of a history share it. */
const FRESH_MS = 10_000

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
  clock: Clock,
) {
  const kept = new LRUCache<string, { readonly heads: Promise<HeadsResult>; readonly at: number }>({
    max: REPOSITORIES_MAX,
  })

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

  function recent(repository: RepositoryId): Promise<HeadsResult> {
    const key = nameOf(repository)
    const found = kept.get(key)
    const age = clock.now() - (found?.at ?? 0)
    if (found !== undefined && age >= 0 && age < FRESH_MS) return found.heads
    const heads = list(repository).then((listed) => {
      if (!listed.ok) kept.delete(key)
      return listed
    })
    kept.set(key, { heads, at: clock.now() })
    return heads
  }

  return {
    /** Numbers of the pull requests with this last commit, newest first. */
    async numbersOf(
      repository: RepositoryId,
      commit: ObjectId,
    ): Promise<Result<readonly number[], GitFailure>> {
      const heads = await recent(repository)
      return heads.ok ? ok(heads.value.get(commit) ?? []) : heads
    },
  }
}
