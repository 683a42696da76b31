import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import type { LimitedFetch } from './limited-fetch.ts'
import { oneFlight } from './one-flight.ts'
import { resting } from './resting.ts'
import type { TokenSource } from './token-source.ts'
import { UnusableAnswer } from './unusable-answer.ts'

const KEPT_MS = 10 * 60_000
/** Minimum time between reloads because of unknown keys in tokens that anybody can send. */
const RELOAD_PAUSE_MS = 30_000

/**
 * The public keys of an issuer. A token from the issuer with an unknown key reloads them at once, because the key is new. A
 * withdrawn key stays valid for up to ten minutes.
 */
export function createKeys(limitedFetch: LimitedFetch, url: string, clock: Clock) {
  let known:
    { readonly find: JWTVerifyGetKey; readonly count: number; readonly at: number } | undefined

  const flight = oneFlight(async (signal) => {
    const response = await limitedFetch(url, { signal })
    if (response.status !== 200) throw new UnusableAnswer(`http_${response.status}`)
    const body: unknown = await response.json()
    if (!isKeySet(body)) throw new UnusableAnswer('no_key_set')
    known = { find: createLocalJWKSet(body), count: body.keys.length, at: clock.now() }
    return known
  })
  const load = resting(flight, clock)

  /** A clock that was set back must not make keys last longer. */
  const isYoung = (milliseconds: number) =>
    known !== undefined && clock.now() >= known.at && clock.now() < known.at + milliseconds

  return {
    load: (signal: AbortSignal) => load(signal, 'issuer'),
    finder:
      (signal: AbortSignal, source: TokenSource): JWTVerifyGetKey =>
      async (...token) => {
        try {
          if (known !== undefined && isYoung(KEPT_MS)) return await known.find(...token)
        } catch (error) {
          const isUnknownKey = error instanceof errors.JWKSNoMatchingKey
          if (!isUnknownKey || (source === 'anybody' && isYoung(RELOAD_PAUSE_MS))) throw error
        }
        return await (await load(signal, source)).find(...token)
      },
  }
}

const isKeySet = (body: unknown): body is JSONWebKeySet =>
  typeof body === 'object' && body !== null && 'keys' in body && Array.isArray(body.keys)
