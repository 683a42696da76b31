import {
  allowInsecureRequests,
  customFetch,
  discovery,
  None,
  type ServerMetadata,
} from 'openid-client'
import { orAbort } from '../../../concurrency/or-abort.ts'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import type { Clock } from '../../../ports/clock.ts'
import { createKeys } from './keys.ts'
import type { LimitedFetch } from './limited-fetch.ts'
import { resting, type TokenSource } from './resting.ts'
import { UnusableAnswer } from './failure.ts'

const KEPT_MS = 60 * 60_000

interface IssuerDocument {
  readonly metadata: ServerMetadata
  readonly keys: ReturnType<typeof createKeys>
  readonly until: number
}

/**
 * Metadata and keys of an issuer (OpenID Connect Discovery 1.0), loaded at first use: the service starts without its identity
 * provider. Reloaded after a failure and after an hour, which picks up changed settings of the issuer.
 */
export function createDiscovery(
  limitedFetch: LimitedFetch,
  issuer: URL,
  clientId: string,
  clock: Clock,
  /** For one load, which several calls may wait for. */
  deadlineMs: number,
) {
  let known: IssuerDocument | undefined

  const flights = createSingleFlight<IssuerDocument>()

  async function load(signal: AbortSignal): Promise<IssuerDocument> {
    const configuration = await discovery(issuer, clientId, undefined, None(), {
      // `limitedFetch` decides which URLs may go without TLS.
      execute: [allowInsecureRequests],
      [customFetch]: (url, init) => limitedFetch(url, { ...init, signal }),
    })
    const metadata = configuration.serverMetadata()
    if (metadata.jwks_uri === undefined) throw new UnusableAnswer('no_jwks_uri')
    const keys = createKeys(limitedFetch, metadata.jwks_uri, clock)
    known = { metadata, keys, until: clock.now() + KEPT_MS }
    return known
  }

  const discover = resting(
    (signal) =>
      orAbort(
        flights.join('', () => withinDeadline(deadlineMs, (late) => orAbort(load(late), late))),
        signal,
      ),
    clock,
  )

  return async (signal: AbortSignal, source: TokenSource): Promise<IssuerDocument> =>
    known !== undefined && clock.now() < known.until ? known : await discover(signal, source)
}
