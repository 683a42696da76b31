import { LRUCache } from 'lru-cache'
import type { RunId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import { type SecretActor, SERVICE } from '../../ports/secret-store.ts'
import type { TimedActor } from '../access/secret-actor.ts'
import type { Principal } from '../access/principal.ts'

/** An ID token with less lifetime left is not used for another call. */
const SPARE_MS = 30_000
const RUNS_MAX = 1_000

/** A person whose request began or resumed a run, and in whose name the run calls the secret store. */
export interface RunPerson extends TimedActor {
  readonly principal: Principal
}

export type RunActors = ReturnType<typeof createRunActors>

/**
 * In whose name each run calls the secret store, in the memory of the process that took the request: a database has no place for ID
 * tokens. A run without a person goes on in the name of the service, since its request proved the right; so does a run that
 * another process took over, or that outlived the token.
 */
export function createRunActors(clock: Clock) {
  const people = new LRUCache<RunId, RunPerson>({ max: RUNS_MAX })

  return {
    /** Answers what takes it back, for a request that then did not begin or resume the run: the person before stays. */
    keep(id: RunId, person: RunPerson): () => void {
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
    /** Who is refused when the store refuses the actor of a run; `null`: the service. */
    principalOf: (id: RunId): Principal | null => people.peek(id)?.principal ?? null,
  }
}
