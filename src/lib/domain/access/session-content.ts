import { isObject } from '../../text/json.ts'
import type { Groups, IdentityTokens, Principal } from '../../ports/identity.ts'

/** What a session holds and the database must not read. */
export interface SessionContent {
  readonly principal: Principal
  /** Null for people who did not come from an identity provider. */
  readonly tokens: IdentityTokens | null
  /** Until when a process that began to renew the tokens is given time, in milliseconds since the Unix epoch. */
  readonly renewingUntil: number | null
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Grows when a field changes its meaning: older sessions then end instead of being misread. */
const FORMAT = 2

/** Issuer and subject are sealed too, though the row has them: who writes rows must not become someone else. */
export const encodeContent = (content: SessionContent): Uint8Array =>
  encoder.encode(JSON.stringify({ format: FORMAT, ...content }))

export function decodeContent(bytes: Uint8Array): SessionContent | undefined {
  const content: unknown = JSON.parse(decoder.decode(bytes))
  if (!isObject(content) || content['format'] !== FORMAT) return undefined
  const principal = toPrincipal(content['principal'])
  const tokens = content['tokens'] === null ? null : toTokens(content['tokens'])
  const { renewingUntil } = content
  if (principal === undefined || tokens === undefined) return undefined
  if (typeof renewingUntil !== 'number' && renewingUntil !== null) return undefined
  return { principal, tokens, renewingUntil }
}

function toPrincipal(value: unknown): Principal | undefined {
  if (!isObject(value)) return undefined
  const { issuer, subject, name, email } = value
  const groups = toGroups(value['groups'])
  if (typeof issuer !== 'string' || typeof subject !== 'string' || typeof name !== 'string')
    return undefined
  if ((typeof email !== 'string' && email !== null) || groups === undefined) return undefined
  return { issuer, subject, name, email, groups }
}

function toGroups(value: unknown): Groups | undefined {
  if (!isObject(value)) return undefined
  const { kind, names } = value
  if (kind === 'unknown') return { kind }
  if (kind !== 'known' || !Array.isArray(names)) return undefined
  return names.every((name) => typeof name === 'string') ? { kind, names } : undefined
}

function toTokens(value: unknown): IdentityTokens | undefined {
  if (!isObject(value)) return undefined
  const { idToken, idTokenExpiresAt, accessToken, refreshToken, expiresAt } = value
  if (typeof idToken !== 'string' || typeof accessToken !== 'string') return undefined
  if (typeof refreshToken !== 'string' && refreshToken !== null) return undefined
  if (typeof idTokenExpiresAt !== 'number' || typeof expiresAt !== 'number') return undefined
  return { idToken, idTokenExpiresAt, accessToken, refreshToken, expiresAt }
}
