import type { Clock } from '../../../../ports/clock.ts'
import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import type { LoginRequest } from './log-in.ts'

/**
 * After refused logins in a row. The store locks an AppRole for everybody at the fifth one, and forgets them after 15 minutes without
 * one, so that the last pause is longer. The second login follows at once: the first refusal may have been a passing one.
 */
const PAUSES_MS = [0, 60_000, 4 * 60_000]
const LAST_PAUSE_MS = 16 * 60_000

interface RefusedLogin {
  readonly request: string
  readonly failure: SecretStoreFailure
  readonly at: number
  readonly count: number
}

/** Remembers a refused login for a while. Another credential, such as a new secret id, is a login of its own. */
export function createRefusedLogins(clock: Clock) {
  let last: RefusedLogin | null = null
  const lastOf = (text: string) => (last?.request === text ? last : null)

  return {
    /** Why the same login was refused, until it may be tried again. */
    find({ body }: LoginRequest): SecretStoreFailure | null {
      const refused = lastOf(JSON.stringify(body))
      if (refused === null) return null
      const pauseMs = PAUSES_MS[refused.count - 1] ?? LAST_PAUSE_MS
      return Math.abs(clock.now() - refused.at) < pauseMs ? refused.failure : null
    },
    note({ body }: LoginRequest, failure: SecretStoreFailure): void {
      const request = JSON.stringify(body)
      const count = (lastOf(request)?.count ?? 0) + 1
      last = { request, failure, at: clock.now(), count }
    },
    clear(): void {
      last = null
    },
  }
}
