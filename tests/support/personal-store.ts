import { decodeJwt } from 'jose'
import type { SecretActor, SecretStore, SecretStoreFailure } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'

/** The subject of an actor's ID token, or `service`. */
const nameOf = (actor: SecretActor): string =>
  actor.kind === 'service' ? 'service' : String(decodeJwt(actor.idToken).sub)

/**
 * A store that knows persons: `rule` answers a call with a failure, or leaves it to the store beneath. It shows what Portico does with
 * a policy; that a policy holds is for the real stores to show.
 */
export function createPersonalStore() {
  const personal = {
    /** Calls and their actors, in order. */
    calls: [] as string[],
    rule: (_who: string, _call: string): SecretStoreFailure | null => null,
    around,
  }

  function refusal(call: string, actor: SecretActor): SecretStoreFailure | null {
    const who = nameOf(actor)
    personal.calls.push(`${call} as ${who}`)
    return personal.rule(who, call)
  }

  function around(store: SecretStore): SecretStore {
    return {
      ...store,
      knowsPersons: true,
      async describe(path, actor) {
        const failure = refusal('describe', actor)
        return failure === null ? store.describe(path, actor) : err(failure)
      },
      async merge(path, expected, values, actor) {
        const failure = refusal('merge', actor)
        return failure === null ? store.merge(path, expected, values, actor) : err(failure)
      },
      async label(path, origin, actor) {
        const failure = refusal('label', actor)
        return failure === null ? store.label(path, origin, actor) : err(failure)
      },
      async mayCreate(path, actor) {
        const failure = refusal('mayCreate', actor)
        return failure === null ? store.mayCreate(path, actor) : err(failure)
      },
    }
  }

  return personal
}

export const FORBIDDEN = {
  kind: 'secret_store_forbidden',
  what: 'patch on secret/data/payments/shop/dev/env',
} as const
