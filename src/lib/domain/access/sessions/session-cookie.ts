import { cookiesIn } from '../cookie-header.ts'
import { isSessionToken } from './session-token.ts'

const SESSION_COOKIE = 'portal_session'

export type SessionCookie =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'malformed' }
  /** Two different values: a sibling sub-domain may have planted either. */
  | { readonly kind: 'ambiguous' }

const NONE: SessionCookie = { kind: 'none' }

export function readSessionCookie(header: string | null): SessionCookie {
  if (header === null || !header.includes(SESSION_COOKIE)) return NONE
  let value: string | undefined
  for (const [name, found] of cookiesIn(header)) {
    if (name !== SESSION_COOKIE) continue
    if (value !== undefined && value !== found) return { kind: 'ambiguous' }
    value = found
  }
  if (value === undefined) return NONE
  return isSessionToken(value) ? { kind: 'token', token: value } : { kind: 'malformed' }
}

export interface CookieOptions {
  /** Whether the browser sends the cookie over https only. */
  readonly secure: boolean
}

/** A `Set-Cookie` value. No `Domain`: sibling hosts must not see the token. */
export const sessionCookie = (
  token: string,
  { secure, maxAgeSeconds }: CookieOptions & { readonly maxAgeSeconds: number },
): string =>
  `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`

export const clearedSessionCookie = ({ secure }: CookieOptions): string =>
  sessionCookie('', { secure, maxAgeSeconds: 0 })
