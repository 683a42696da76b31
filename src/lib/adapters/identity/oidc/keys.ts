import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import { limitedFetch } from './limited-fetch.ts'
import { oneFlight } from './one-flight.ts'
import { UnusableAnswer } from './unusable-answer.ts'

const KEPT_MS = 10 * 60_000

/**
 * The public keys of an issuer. A token with an unknown key reloads them at once: it comes from the issuer itself, so the key is
 * new. A withdrawn key stays valid for up to ten minutes.
 */
export function createKeys(issuer: URL, url: string, clock: Clock) {
  let known: { readonly find: JWTVerifyGetKey; readonly until: number } | undefined

  const load = oneFlight(async (signal) => {
    const response = await limitedFetch(issuer, url, { signal })
    if (response.status !== 200) throw new UnusableAnswer(`http_${response.status}`)
    const body: unknown = await response.json()
    if (!isKeySet(body)) throw new UnusableAnswer('no_key_set')
    known = { find: createLocalJWKSet(body), until: clock.now() + KEPT_MS }
    return known
  })

  return (signal: AbortSignal): JWTVerifyGetKey =>
    async (...token) => {
      try {
        if (known !== undefined && clock.now() < known.until) return await known.find(...token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      }
      return await (await load(signal)).find(...token)
    }
}

const isKeySet = (body: unknown): body is JSONWebKeySet =>
  typeof body === 'object' && body !== null && 'keys' in body && Array.isArray(body.keys)
