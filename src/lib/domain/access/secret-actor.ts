import { type SecretActor, type SecretStore, SERVICE } from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'
import type { RequestFacts } from '../audit/audit.ts'
import type { SessionTokens, SessionTokensFailure } from './sessions/session-credentials.ts'
import type { Session } from './sessions/session.ts'

/** An actor of secret store calls, and how long it is usable. */
export interface TimedActor {
  readonly actor: SecretActor
  /** The end of a person's ID token in milliseconds since the Unix epoch. The service has none: `Infinity`. */
  readonly endsAt: number
}

type EndedSignIn = { readonly kind: 'identity_token_missing' | 'identity_rejected' }

export type SecretActorFailure =
  | Exclude<SessionTokensFailure, EndedSignIn>
  /** The identity provider refused to renew the tokens, and the session is ended. */
  | { readonly kind: 'session_invalid' }
  /** The session has no valid ID token, and none can be had without a new sign-in. */
  | { readonly kind: 'secret_store_unauthorized'; readonly what: string }

export type SecretActors = ReturnType<typeof createSecretActors>

/** A store that knows persons gets the ID token of the session's person; any other store is called by the service for everybody. */
export const createSecretActors = (
  secretStore: Pick<SecretStore, 'knowsPersons'>,
  sessionTokens: SessionTokens,
) => ({
  /** In whose name a request calls the secret store. May renew the session's tokens at the identity provider. */
  async of(
    session: Session,
    request: RequestFacts,
  ): Promise<Result<TimedActor, SecretActorFailure>> {
    if (!secretStore.knowsPersons) return ok({ actor: SERVICE, endsAt: Number.POSITIVE_INFINITY })
    const current = await sessionTokens.current(session, 'idToken', request)
    if (!current.ok) return err(asFailure(current.error))
    const { idToken, idTokenExpiresAt: endsAt } = current.value
    return ok({ actor: { kind: 'person', idToken }, endsAt })
  },
})

function asFailure(failure: SessionTokensFailure): SecretActorFailure {
  if (failure.kind === 'identity_rejected') return { kind: 'session_invalid' }
  return failure.kind === 'identity_token_missing'
    ? { kind: 'secret_store_unauthorized', what: 'the session has no valid ID token' }
    : failure
}
