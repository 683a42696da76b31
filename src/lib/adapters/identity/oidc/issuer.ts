import {
  allowInsecureRequests,
  clockSkew,
  clockTolerance,
  Configuration,
  customFetch,
  type ServerMetadata,
} from 'openid-client'
import type { Clock } from '../../../ports/clock.ts'
import type { IdentityFailure } from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import type { OidcValues } from '../oidc-kind.ts'
import { authenticationOf, type ClientSettings } from './client-authentication.ts'
import { createDiscovery } from './discovery.ts'
import { identityFailure } from './failure.ts'
import { checkUrl, createLimitedFetch } from './limited-fetch.ts'
import type { TokenSource } from './resting.ts'
import { createVerify, type Verify } from './verify.ts'

/** The issuer's client for one call. */
export interface IssuerCall {
  readonly metadata: ServerMetadata
  readonly configuration: Configuration
  readonly verifyFrom: (source: TokenSource) => Verify
  /** The URL of a page of the provider for the person's browser. */
  readonly pageUrl: (url: URL) => string
  /** Loads the keys anew and answers their number. */
  readonly loadKeys: () => Promise<number>
}

export type Issuer = ReturnType<typeof createIssuer>

/** The library must not judge times: it has no clock argument, and a refused refresh answer would lose the new tokens. */
const ANY_TIME_SECONDS = 1e9

/**
 * The client of an OpenID Connect issuer.
 * @param authorities certificates of the provider, which replace the public ones; `null` for those
 * @param deadlineMs for a whole call, including discovery
 */
export function createIssuer(
  settings: Pick<OidcValues, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID'> & ClientSettings,
  clock: Clock,
  authorities: () => string | null,
  deadlineMs: number,
) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = settings
  const limitedFetch = createLimitedFetch(issuer, authorities)
  const discovered = createDiscovery(limitedFetch, issuer, clientId, clock, deadlineMs)

  async function connect(signal: AbortSignal, source: TokenSource): Promise<IssuerCall> {
    const { metadata, keys } = await discovered(signal, source)
    const authentication = await authenticationOf(settings, metadata)
    const clocks = {
      // Client assertions are dated by our clock.
      [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
      [clockTolerance]: ANY_TIME_SECONDS,
    }
    const configuration = new Configuration(metadata, clientId, clocks, authentication)
    allowInsecureRequests(configuration)
    // `ask` sets the deadline.
    configuration.timeout = 0
    configuration[customFetch] = (url, init) => limitedFetch(url, { ...init, signal })
    return {
      metadata,
      configuration,
      verifyFrom: (source) => createVerify(metadata.issuer, keys.finder(signal, source), clock),
      pageUrl(url) {
        checkUrl(url, issuer)
        return url.href
      },
      loadKeys: () => keys.load(signal),
    }
  }

  return {
    /**
     * Every throw is a failure: the libraries throw on any response that they cannot use. `failureOf` may tell more of errors
     * after discovery. `source` is that of the token that the call is about.
     */
    async ask<Value, Failure = never>(
      call: (issuer: IssuerCall) => Promise<Value>,
      failureOf: (thrown: unknown) => Failure | IdentityFailure = identityFailure,
      source: TokenSource = 'issuer',
    ): Promise<Result<Value, IdentityFailure | Failure>> {
      try {
        return await withinDeadline(deadlineMs, async (signal) => {
          const connected = await connect(signal, source)
          try {
            return ok(await call(connected))
          } catch (error) {
            return err(failureOf(error))
          }
        })
      } catch (error) {
        return err(identityFailure(error))
      }
    },
  }
}
