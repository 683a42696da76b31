import { createLru } from '../../concurrency/lru.ts'
import type { RunId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import { type SecretActor, SERVICE } from '../../ports/secret-store.ts'
import type { TimedActor } from '../access/secret-actor.ts'

/** An ID token with less lifetime left is not used for another call. */
const SPARE_MS = 30_000
const RUNS_MAX = 1_000

export type RunActors = ReturnType<typeof createRunActors>

/**
 * In whose name each run calls the secret store, in the memory of the process that took the request: a database has no place for ID
 * tokens. A run without a person goes on in the name of the service, since its request proved the right; so does a run that
 * another process took over, or that outlived the token.
 */
export function createRunActors(clock: Clock) {
  const people = createLru<RunId, TimedActor>(RUNS_MAX)

  return {
    /** Answers what takes it back, for a request that then did not begin or resume the run: the person before stays. */
    keep(id: RunId, person: TimedActor): () => void {
      const before = people.peek(id)
      people.set(id, person)
      return () => {
        if (people.peek(id) !== person) return
        if (before === undefined) people.delete(id)
        else people.set(id, before)
      }
    },
    forget: (id: RunId): void => void people.delete(id),
    of(id: RunId): SecretActor {
      const person = people.get(id)
      if (person === undefined) return SERVICE
      if (clock.now() + SPARE_MS < person.endsAt) return person.actor
      people.delete(id)
      return SERVICE
    },
  }
}
