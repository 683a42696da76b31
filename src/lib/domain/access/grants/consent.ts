import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { Clock } from '../../../ports/clock.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { createSealedTexts } from '../sealed-text.ts'
import type { Session } from '../sessions/session.ts'
import type { Authorization } from './authorization.ts'
import { type Grant, GrantSchema } from './grant.ts'

/** A request that a person was asked about: the grant, if they allow it as it was asked for. */
export type Consent = Static<typeof ConsentSchema>
const ConsentSchema = Type.Object({
  /** It can be answered once. */
  id: Type.String(),
  grant: GrantSchema,
  state: Nullable(Type.String()),
  expiresAt: Type.Number(),
})

const schema = lazily(() => Compile(ConsentSchema))

/** Time to read the page. */
const CONSENT_MS = 10 * 60_000

export type Consents = ReturnType<typeof createConsents>

/** Consents as text for a form, sealed for the session that was asked. */
export function createConsents(keyring: Keyring, clock: Clock) {
  const texts = createSealedTexts(keyring, clock, (value) => schema().Check(value))
  return {
    seal: (authorization: Authorization, session: Pick<Session, 'idHash'>): string =>
      texts.seal(contextOf(session), {
        id: randomUUID(),
        grant: grantOf(authorization),
        state: authorization.state,
        expiresAt: clock.now() + CONSENT_MS,
      }),

    /** `undefined` for another session's, a changed or an old one. */
    open: (text: string, session: Pick<Session, 'idHash'>): Consent | undefined =>
      texts.open(contextOf(session), text),
  }
}

const contextOf = ({ idHash }: Pick<Session, 'idHash'>): string => `consent/${idHash}`

const grantOf = ({
  client,
  redirectUri,
  scopes,
  codeChallenge,
  resource,
}: Authorization): Grant => ({
  kind: client.kind,
  clientId: client.id,
  clientName: client.name,
  scopes: [...scopes],
  teams: null,
  resource,
  redirectUri,
  codeChallenge,
})

/**
 * A grant that a person has allowed, while the identity provider is asked for tokens of its own for it. In the cookie of that second
 * authorization.
 */
export type PendingGrant = Static<typeof PendingGrantSchema>
export const PendingGrantSchema = Type.Object({
  grant: GrantSchema,
  /** `state` of the client. */
  state: Nullable(Type.String()),
  /** The session that allowed it: it must be there still, of the same person. */
  session: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
  /** Absolute end of that session, and of a grant without a refresh token. */
  sessionEndsAt: Type.Number(),
})
