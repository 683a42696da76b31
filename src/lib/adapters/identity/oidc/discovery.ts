import {
  allowInsecureRequests,
  customFetch,
  discovery,
  None,
  type ServerMetadata,
} from 'openid-client'
import type { Clock } from '../../../ports/clock.ts'
import { createKeys } from './keys.ts'
import { limitedFetch } from './limited-fetch.ts'
import { oneFlight } from './one-flight.ts'
import { UnusableAnswer } from './unusable-answer.ts'

const KEPT_MS = 60 * 60_000

interface Discovered {
  readonly metadata: ServerMetadata
  readonly keys: ReturnType<typeof createKeys>
  readonly until: number
}

/**
 * What an issuer says of itself (OpenID Connect Discovery 1.0). Asked for when it is first needed, and again after a failure:
 * the service starts without it. It is kept for an hour, so that an issuer that moves or was set up wrongly is found again.
 */
export function createDiscovery(issuer: URL, clientId: string, clock: Clock) {
  let known: Discovered | undefined

  const discover = oneFlight(async (signal): Promise<Discovered> => {
    const configuration = await discovery(issuer, clientId, undefined, None(), {
      // What goes without TLS is for `limitedFetch` to say.
      execute: [allowInsecureRequests],
      [customFetch]: (url, init) => limitedFetch(issuer, url, { ...init, signal }),
    })
    const metadata = configuration.serverMetadata()
    if (metadata.jwks_uri === undefined) throw new UnusableAnswer('no_jwks_uri')
    const keys = createKeys(issuer, metadata.jwks_uri, clock)
    known = { metadata, keys, until: clock.now() + KEPT_MS }
    return known
  })

  return async (signal: AbortSignal): Promise<Discovered> =>
    known !== undefined && clock.now() < known.until ? known : await discover(signal)
}
