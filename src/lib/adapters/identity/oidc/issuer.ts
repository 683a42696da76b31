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
  /** `https:`, except on this machine. */
  readonly issuer: URL
  readonly clientId: string
  /** Empty for a public client. */
  readonly clientSecret: string
  readonly clock: Clock
  /** For a whole call, including discovery. */
  readonly deadlineMs: number
}

/** The issuer's client for one call. */
export interface IssuerCall {
  readonly configuration: Configuration
  readonly verify: Verify
}

/** The client of an OpenID Connect issuer. */
export function createIssuer({
  issuer,
  clientId,
  clientSecret,
  clock,
  deadlineMs,
}: IssuerSettings) {
  const discovered = createDiscovery(issuer, clientId, clock)

  async function connect(signal: AbortSignal): Promise<IssuerCall> {
    const { metadata, keys } = await discovered(signal)
    const authentication = authenticationOf(metadata, clientSecret)
    const configuration = new Configuration(metadata, clientId, undefined, authentication)
    allowInsecureRequests(configuration)
    // `ask` sets the deadline.
    configuration.timeout = 0
    configuration[customFetch] = (url, init) => limitedFetch(issuer, url, { ...init, signal })
    return { configuration, verify: createVerify(metadata.issuer, keys(signal), clock) }
  }

  return {
    /** Every throw is a failure: the libraries throw on any response that they cannot use. */
    async ask<Value>(
      call: (issuer: IssuerCall) => Promise<Value>,
    ): Promise<Result<Value, IdentityFailure>> {
      try {
        return ok(await withinDeadline(deadlineMs, async (signal) => call(await connect(signal))))
      } catch (error) {
        return err(identityFailure(error))
      }
    },
  }
}

/** `client_secret_basic` is the default (OpenID Connect Discovery 1.0 §3). */
function authenticationOf(metadata: ServerMetadata, secret: string): ClientAuth {
  if (secret === '') return None()
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret)
}
