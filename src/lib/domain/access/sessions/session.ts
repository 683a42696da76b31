import type { SessionRow } from '../../../ports/database/sessions.ts'
import type { IdentityTokens, Principal } from '../../../ports/identity.ts'
import { type Grant, principalBy } from '../grants/grant.ts'
import type { SessionContent } from './session-content.ts'

export interface Session {
  /** With the groups that the grant leaves. */
  readonly principal: Principal
  /** What a program may do in this session; `null` in a browser's. */
  readonly grant: Grant | null
  readonly tokens: IdentityTokens | null
  /** Key of the session in the store. Not a secret. */
  readonly idHash: string
  /** When the provider was asked for `principal`, in milliseconds since the Unix epoch; 0 when that is not known. */
  readonly claimsAt: number
  readonly createdAt: number
  readonly seenAt: number
  /** The absolute end. */
  readonly expiresAt: number
}

export const sessionOf = (
  { idHash, createdAt, seenAt, expiresAt }: SessionRow,
  { principal, tokens, claimsAt = 0, grant }: SessionContent,
): Session => ({
  principal: grant === undefined ? principal : principalBy(principal, grant, idHash),
  grant: grant ?? null,
  tokens,
  idHash,
  claimsAt,
  createdAt,
  seenAt,
  expiresAt,
})
