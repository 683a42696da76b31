import { type Static, Type } from 'typebox'
import { Nullable } from '../../../schema/nullable.ts'
import { GrantSchema } from './grant.ts'

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
