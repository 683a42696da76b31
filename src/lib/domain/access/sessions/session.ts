import type { SessionRow } from '../../../ports/database/sessions.ts'
import type { IdentityTokens, Principal, Groups } from '../../../ports/identity.ts'
import { type Grant, principalBy, GrantSchema } from '../grants/grant.ts'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import { Nullable } from '../../../schema/nullable.ts'

export interface Session {
  /** With the groups that the grant leaves. */
  readonly principal: Principal
  /** The grant of the program whose session it is; `null` in a browser's. */
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

/** The sealed part of a session row, hidden from the database. */
export interface SessionContent {
  readonly principal: Principal
  /** `null` without an identity provider. */
  readonly tokens: IdentityTokens | null
  /** End of the lease for renewing the claims and tokens, in milliseconds since the Unix epoch. */
  readonly renewingUntil: number | null
  /** When the provider was asked for `principal`. Releases before this field drop it; its age is then unknown. */
  readonly claimsAt?: number
  /** Absent in a browser's session. */
  readonly grant?: Grant
}

const UnknownGroupsSchema = Type.Union([
  Type.Literal('missing'),
  Type.Literal('too_many'),
  Type.Literal('unreadable'),
])

/** Grows when a field changes its meaning: older sessions then end instead of being misread. */
const FORMAT = 2

const schema = lazily(() =>
  Compile(
    Type.Object({
      format: Type.Literal(FORMAT),
      principal: Type.Object({
        issuer: Type.String(),
        subject: Type.String(),
        name: Type.String(),
        email: Nullable(Type.String()),
        groups: Type.Union([
          Type.Object({
            kind: Type.Literal('unknown'),
            reason: Type.Optional(UnknownGroupsSchema),
          }),
          Type.Object({ kind: Type.Literal('known'), names: Type.Array(Type.String()) }),
        ]),
      }),
      tokens: Nullable(
        Type.Object({
          idToken: Type.String(),
          idTokenExpiresAt: Type.Number(),
          accessToken: Type.String(),
          refreshToken: Nullable(Type.String()),
          expiresAt: Type.Number(),
        }),
      ),
      renewingUntil: Nullable(Type.Number()),
      claimsAt: Type.Optional(Type.Number()),
      grant: Type.Optional(GrantSchema),
    }),
  ),
)

/** Issuer and subject are sealed too, though the row has them: write access to rows must not allow impersonation. */
export const encodeContent = (content: SessionContent): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ format: FORMAT, ...content }))

export function decodeContent(bytes: Uint8Array): SessionContent | undefined {
  const content: unknown = JSON.parse(new TextDecoder().decode(bytes))
  if (!schema().Check(content)) return undefined
  const { principal, tokens, renewingUntil, claimsAt, grant } = content
  const { groups } = principal
  // Sessions of earlier versions do not say why.
  const known: Groups =
    groups.kind === 'unknown' ? { kind: 'unknown', reason: groups.reason ?? 'unreadable' } : groups
  return {
    principal: { ...principal, groups: known },
    tokens,
    renewingUntil,
    ...(claimsAt !== undefined && { claimsAt }),
    ...(grant !== undefined && { grant }),
  }
}
