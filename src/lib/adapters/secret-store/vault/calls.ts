import { createLru } from '../../../concurrency/lru.ts'
import { createHash } from 'node:crypto'
import { inTime } from '../../../concurrency/in-time.ts'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { Clock } from '../../../ports/clock.ts'
import { type SecretActor, type SecretStoreFailure, SERVICE } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Credential, readCredential } from '../../../settings/credential.ts'
import type { VaultAnswer } from './answer.ts'
import type { VaultClient, VaultRequest } from './client.ts'
import {
  createLoginPauses,
  isUsable,
  logIn,
  type PersonLogin,
  personRequest,
  type ServiceLogin,
  serviceRequest,
  type StoreSession,
} from './login.ts'

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
  /** The kind of a refusal by policy. */
  refusedAs(actor: SecretActor): 'secret_store_denied' | 'secret_store_forbidden'
  /** Logs the service in, unless it is. A given token counts as valid. */
  logIn(): Promise<Result<void, SecretStoreFailure>>
  /** Revokes the tokens of logins. A token that was given in settings stays valid. */
  close(): Promise<void>
}

export interface VaultCallsOptions {
  readonly client: VaultClient
  readonly clock: Clock
  readonly service: ServiceLogin
  /** `null`: calls for persons are made by the service. */
  readonly persons: PersonLogin | null
}

/** Who works at the same time. The token that was not used for longest is left to its lease. */
const SESSIONS_MAX = 500
/** Later the store judges the person anew: a role without a lease of its own gives tokens for a month. */
const PERSON_USED_MAX_MS = 3_600_000
/** Tokens that may not look at themselves cannot tell their end from a refusal by policy, and are replaced at most this often. */
const REPLACED_EVERY_MS = 60_000
/** A token that has ended, and a policy without `lookup-self`, look the same. */
const OR_ENDED = ' (or the token is not valid: it may not look at itself)'
/** The process ends soon after: what a store that hangs has lent is left to its lease. */
const CLOSE_MAX_MS = 3_000

export function createVaultCalls({
  client,
  clock,
  service,
  persons,
}: VaultCallsOptions): VaultCalls {
  const sessions = createLru<string, StoreSession>(SESSIONS_MAX)
  const logins = createSingleFlight<Result<StoreSession, SecretStoreFailure>>()
  /** Looks in flight: many calls are refused at once. */
  const looks = createSingleFlight<Result<boolean, SecretStoreFailure>>()
  /** Tokens of logins that were made because of a 403 and did not change it, with the time. */
  const unhelpful = createLru<string, number>(SESSIONS_MAX)
  const patiently = createLoginPauses(clock)

  async function begin(actor: SecretActor): Promise<Result<StoreSession, SecretStoreFailure>> {
    if (actor.kind === 'person' && persons !== null) {
      const session = await logIn(client, personRequest(persons, actor.idToken), clock)
      if (!session.ok) return session
      const usedMs = Math.min(session.value.usedMs, PERSON_USED_MAX_MS)
      return ok({ ...session.value, usedMs })
    }
    if (service.kind === 'token') return given(service.token)
    const request = serviceRequest(service)
    if (!request.ok) return request
    const login = () => logIn(client, request.value, clock)
    // The store counts refused logins of AppRoles alone.
    return service.kind === 'approle' ? patiently(request.value, login) : login()
  }

  function given(credential: Credential) {
    const token = readCredential(credential)
    return token.ok
      ? ok({ token: token.value, startedAt: clock.now(), usedMs: Number.POSITIVE_INFINITY })
      : err({ kind: 'secret_store_denied', what: token.error } as const)
  }

  /** A token that was not refused, by one login for all who ask at the same time. */
  async function current(
    actor: SecretActor,
    refused?: StoreSession,
  ): Promise<Result<StoreSession, SecretStoreFailure>> {
    const isPerson = actor.kind === 'person' && persons !== null
    if (!isPerson && service.kind === 'token') return given(service.token)
    const key = isPerson ? createHash('sha256').update(actor.idToken).digest('base64url') : ''
    const known = sessions.get(key)
    if (known !== undefined && known.token === refused?.token) sessions.delete(key)
    else if (known !== undefined && isUsable(known, clock.now())) return ok(known)
    return logins.join(key, async () => {
      const begun = await begin(actor)
      if (begun.ok) sessions.set(key, begun.value)
      return begun
    })
  }

  /** Whether the store takes the token. */
  async function looksValid(token: string): Promise<Result<boolean, SecretStoreFailure>> {
    const path = 'auth/token/lookup-self'
    const answer = await client.send({ method: 'GET', path, token, repeatable: true })
    return answer.ok ? ok(answer.value.status === 200) : answer
  }

  const refusedAs: VaultCalls['refusedAs'] = ({ kind }) =>
    kind === 'person' && persons !== null ? 'secret_store_forbidden' : 'secret_store_denied'

  return {
    refusedAs,

    async call(actor, request, right) {
      const session = await current(actor)
      if (!session.ok) return session
      const { token } = session.value
      const answer = await client.send({ ...request, token })
      if (!answer.ok || answer.value.status !== 403) return answer

      const kind = refusedAs(actor)
      let other = await current(actor)
      // Otherwise another call has replaced the token meanwhile.
      if (other.ok && other.value.token === token) {
        const isValid = await looks.join(token, () => looksValid(token))
        if (!isValid.ok) return isValid
        if (isValid.value) return err({ kind, what: right })
        const sinceMs = Math.abs(clock.now() - (unhelpful.get(token) ?? Number.NEGATIVE_INFINITY))
        if (sinceMs >= REPLACED_EVERY_MS) {
          other = await current(actor, session.value)
          if (other.ok && other.value.token === token) unhelpful.set(token, clock.now())
        }
      }
      if (!other.ok) return other
      if (other.value.token === token) return err({ kind, what: `${right}${OR_ENDED}` })
      const repeated = await client.send({ ...request, token: other.value.token })
      if (!repeated.ok || repeated.value.status !== 403) return repeated
      unhelpful.set(other.value.token, clock.now())
      return err({ kind, what: right })
    },

    async logIn() {
      const session = await current(SERVICE)
      return session.ok ? ok(undefined) : session
    },

    async close() {
      const request = { method: 'POST', path: 'auth/token/revoke-self', body: {} } as const
      const revoke = ({ token }: StoreSession) =>
        client.send({ ...request, token, repeatable: true })
      const revoked = logins.ended().then(() => Promise.all([...sessions.values()].map(revoke)))
      await inTime<unknown, undefined>(revoked, CLOSE_MAX_MS, undefined)
    },
  }
}
