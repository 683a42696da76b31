import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../../../concurrency/single-flight.ts'
import type { SecretActor, SecretStoreFailure } from '../../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../../result.ts'
import type { SecretStoreMeans } from '../../means.ts'
import type { VaultAnswer, VaultClient, VaultRequest } from '../api/client.ts'
import { type After, afterTimer } from './after.ts'
import type { StoreSession } from './lease.ts'
import type { PersonLogin, ServiceLogin } from './method.ts'
import { lookUpSelf } from './own-token.ts'
import { createPersonTokens } from './person-tokens.ts'
import { createServiceTokens } from './service-tokens.ts'
import type { Tokens } from './tokens.ts'

/** Requests to the store in the name of an actor, with a token that is valid. */
export interface VaultCalls {
  /**
   * Sends a request. A 403 is settled here and never an answer: by one look at the own token and, if the token is refused, one new
   * login and one repetition. Then it is `secret_store_denied` (the service), `secret_store_forbidden` (a person, by policy) or
   * `secret_store_unauthorized` (the login of a person is refused). `right` says what was asked for, such as `patch on secret/data/a/b`.
   */
  call(
    actor: SecretActor,
    request: Omit<VaultRequest, 'token'>,
    right: string,
  ): Promise<Result<VaultAnswer, SecretStoreFailure>>
  /** Logs the service in, unless it is. A given token that may not look at itself counts as valid. */
  logIn(): Promise<Result<void, SecretStoreFailure>>
  /** Ends renewals and revokes the tokens of logins. A token that was given in settings stays valid. */
  close(): Promise<void>
}

export interface VaultCallsOptions extends Pick<SecretStoreMeans, 'clock' | 'log'> {
  readonly client: VaultClient
  readonly service: ServiceLogin
  /** `null`: calls for persons are made by the service. */
  readonly persons: PersonLogin | null
  readonly after?: After
}

/** Tokens that cannot tell a refusal of the token from one of the policy are replaced for that reason at most this often. */
const REPLACED_EVERY_MS = 60_000
const UNHELPFUL_MAX = 1_000
/** A given token that has ended, and a policy without `lookup-self`, look the same. */
const OR_ENDED = ' (or the token is not valid: it may not look at itself)'
/** The process ends soon after: what a store that hangs has lent is left to its lease. */
const CLOSE_MAX_MS = 3_000

export function createVaultCalls(options: VaultCallsOptions): VaultCalls {
  const { client, service, clock, log, after = afterTimer } = options
  const serviceTokens = createServiceTokens({ client, login: service, clock, log, after })
  const persons =
    options.persons === null ? null : createPersonTokens({ client, login: options.persons, clock })
  const tokensOf = (actor: SecretActor): Tokens =>
    actor.kind === 'person' && persons !== null ? persons.of(actor.idToken) : serviceTokens

  /** Looks in flight: many calls are refused at once. */
  const looks = createSingleFlight<Awaited<ReturnType<typeof lookUpSelf>>>()
  /** Tokens of logins that were made because of a 403 and did not change it, with the time of the login. */
  const unhelpful = new LRUCache<string, number>({ max: UNHELPFUL_MAX })

  /** A token that may change a 403, or why there is none. */
  async function anotherToken(
    tokens: Tokens,
    refused: StoreSession,
  ): Promise<Result<StoreSession | 'forbidden' | 'unknown', SecretStoreFailure>> {
    // Another call has settled it, while this one was on its way.
    const now = await tokens.current()
    if (!now.ok || now.value.token !== refused.token) return now
    const lease = await looks.join(refused.token, () => lookUpSelf(client, refused.token))
    if (!lease.ok) return lease
    if (lease.value !== null) return ok('forbidden')
    const at = unhelpful.get(refused.token)
    if (at !== undefined && Math.abs(clock.now() - at) < REPLACED_EVERY_MS) return ok('unknown')
    const other = await tokens.replace(refused)
    return other.ok ? ok(other.value ?? 'unknown') : other
  }

  return {
    async call(actor, request, right) {
      const tokens = tokensOf(actor)
      const session = await tokens.current()
      if (!session.ok) return session
      const answer = await client.send({ ...request, token: session.value.token })
      if (!answer.ok || answer.value.status !== 403) return answer

      const kind = tokens === serviceTokens ? 'secret_store_denied' : 'secret_store_forbidden'
      const other = await anotherToken(tokens, session.value)
      if (!other.ok) return other
      if (other.value === 'forbidden') return err({ kind, what: right })
      if (other.value === 'unknown') return err({ kind, what: `${right}${OR_ENDED}` })
      const { token } = other.value
      const repeated = await client.send({ ...request, token })
      if (!repeated.ok || repeated.value.status !== 403) return repeated
      unhelpful.set(token, clock.now())
      return err({ kind, what: right })
    },
    async logIn() {
      const session = await serviceTokens.current()
      return session.ok ? ok(undefined) : session
    },
    async close() {
      const deadline = Promise.withResolvers<void>()
      const cancel = after(CLOSE_MAX_MS, deadline.resolve)
      await Promise.race([Promise.all([serviceTokens.close(), persons?.close()]), deadline.promise])
      cancel()
    },
  }
}
