import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { Clock } from '../../../ports/clock.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { parseJson } from '../../../text/json.ts'
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
  return {
    seal(authorization: Authorization, session: Pick<Session, 'idHash'>): string {
      const consent: Consent = {
        id: randomUUID(),
        grant: grantOf(authorization),
        state: authorization.state,
        expiresAt: clock.now() + CONSENT_MS,
      }
      const content = new TextEncoder().encode(JSON.stringify(consent))
      const { keyId, sealed } = keyring.seal(contextOf(session), content)
      return `${keyId}.${Buffer.from(sealed).toString('base64url')}`
    },

    /** `undefined` for another session's, a changed or an old one. */
    open(text: string, session: Pick<Session, 'idHash'>): Consent | undefined {
      const [keyId = '', sealed = ''] = text.split('.')
      const bytes = keyring.open(contextOf(session), {
        keyId,
        sealed: Buffer.from(sealed, 'base64url'),
      })
      const consent = bytes && parseJson(new TextDecoder().decode(bytes))
      if (!schema().Check(consent)) return undefined
      return clock.now() < consent.expiresAt ? consent : undefined
    },
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
