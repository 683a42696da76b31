import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { orAbort } from '../../../concurrency/or-abort.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { LimitedFetch } from './limited-fetch.ts'
import { resting, type TokenSource } from './resting.ts'
import { UnusableAnswer } from './failure.ts'

const KEPT_MS = 10 * 60_000
/** Minimum time between reloads because of unknown keys in tokens that anybody can send. */
const RELOAD_PAUSE_MS = 30_000
/** Longer than any call: its own deadline ends the load. */
const FETCH_MAX_MS = 60_000

/**
 * The public keys of an issuer. A token from the issuer with an unknown key reloads them at once, because the key is new. A
 * withdrawn key stays valid for up to ten minutes.
 */
export function createKeys(limitedFetch: LimitedFetch, url: string, clock: Clock) {
  // The ages of keys are those of our clock, so the library reloads nothing by itself.
  const keys = createRemoteJWKSet(new URL(url), {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    timeoutDuration: FETCH_MAX_MS,
    async [customFetch](href) {
      const signal = starter
      const response = await orAbort(limitedFetch(href, { signal }), signal)
      if (response.status !== 200) throw new UnusableAnswer(`http_${response.status}`)
      return response
    },
  })
  /** Ends the load that its call has started; others who wait for it fail with it. */
  let starter: AbortSignal
  let loadedAt = Number.NEGATIVE_INFINITY

  const load = resting(async (signal) => {
    starter = signal
    await orAbort(keys.reload(), signal).catch(rethrow)
    loadedAt = clock.now()
    return keys.jwks()?.keys.length ?? 0
  }, clock)

  /** A clock that was set back must not make keys last longer. */
  const isYoung = (milliseconds: number) =>
    clock.now() >= loadedAt && clock.now() < loadedAt + milliseconds

  return {
    /** Loads the keys anew and answers their number. */
    load: (signal: AbortSignal) => load(signal, 'issuer'),
    finder:
      (signal: AbortSignal, source: TokenSource): JWTVerifyGetKey =>
      async (...token) => {
        try {
          if (isYoung(KEPT_MS)) return await keys(...token)
        } catch (error) {
          const isUnknownKey = error instanceof errors.JWKSNoMatchingKey
          if (!isUnknownKey || (source === 'anybody' && isYoung(RELOAD_PAUSE_MS))) throw error
        }
        await load(signal, source)
        return await keys(...token)
      },
  }
}

/** The library's errors about the keys, which are none of a token. */
function rethrow(thrown: unknown): never {
  if (thrown instanceof errors.JWKSTimeout) throw thrown.cause
  throw thrown instanceof errors.JOSEError ? new UnusableAnswer('no_key_set') : thrown
}
