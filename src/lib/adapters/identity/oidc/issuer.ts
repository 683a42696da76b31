import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  None,
  type ServerMetadata,
} from 'openid-client'
import type { Clock } from '../../../ports/clock.ts'
import type { IdentityFailure } from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import { createDiscovery } from './discovery.ts'
import { identityFailure } from './failure.ts'
import { limitedFetch } from './limited-fetch.ts'
import { createVerify, type Verify } from './verify.ts'

export interface IssuerSettings {
  /** With TLS, unless it is on this machine. */
  readonly issuer: URL
  readonly clientId: string
  /** Empty for a public client. */
  readonly clientSecret: string
  readonly clock: Clock
  /** For a call with everything that it waits for. */
  readonly deadlineMs: number
}

/** The issuer as it is for one call. */
export interface Reached {
  readonly configuration: Configuration
  readonly verify: Verify
}

/** An OpenID Connect issuer, as its client sees it. */
export function createIssuer({
  issuer,
  clientId,
  clientSecret,
  clock,
  deadlineMs,
}: IssuerSettings) {
  const discovered = createDiscovery(issuer, clientId, clock)

  async function reach(signal: AbortSignal): Promise<Reached> {
    const { metadata, keys } = await discovered(signal)
    const authentication = authenticationOf(metadata, clientSecret)
    const configuration = new Configuration(metadata, clientId, undefined, authentication)
    allowInsecureRequests(configuration)
    // The call has its own deadline.
    configuration.timeout = 0
    configuration[customFetch] = (url, init) => limitedFetch(issuer, url, { ...init, signal })
    return { configuration, verify: createVerify(metadata.issuer, keys(signal), clock) }
  }

  return {
    /** Whatever is thrown on the way is a failure: the libraries throw on any answer that they cannot use. */
    async ask<Value>(
      call: (issuer: Reached) => Promise<Value>,
    ): Promise<Result<Value, IdentityFailure>> {
      try {
        return ok(await withinDeadline(deadlineMs, async (signal) => call(await reach(signal))))
      } catch (error) {
        return err(identityFailure(error))
      }
    },
  }
}

/** `client_secret_basic` is what holds when an issuer does not say (OpenID Connect Discovery 1.0 §3). */
function authenticationOf(metadata: ServerMetadata, secret: string): ClientAuth {
  if (secret === '') return None()
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret)
}
