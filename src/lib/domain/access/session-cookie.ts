import { isSessionToken } from './session-token.ts'

const SESSION_COOKIE = 'portal_session'

export type SessionCookie =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'malformed' }
  /** Two different values: a sibling sub-domain may have planted either. */
  | { readonly kind: 'ambiguous' }

const NONE: SessionCookie = { kind: 'none' }

/** Reads the raw `Cookie` header: cookie libraries decode values. Names are case-sensitive. */
export function readSessionCookie(header: string | null): SessionCookie {
  if (header === null || !header.includes(SESSION_COOKIE)) return NONE
  let value: string | undefined
  for (const pair of header.split(';')) {
    const separator = pair.indexOf('=')
    if (separator < 0 || trimmed(pair, 0, separator) !== SESSION_COOKIE) continue
    const found = trimmed(pair, separator + 1, pair.length)
    if (value !== undefined && value !== found) return { kind: 'ambiguous' }
    value = found
  }
  if (value === undefined) return NONE
  return isSessionToken(value) ? { kind: 'token', token: value } : { kind: 'malformed' }
}

/** Trims the white space of RFC 6265 §5.2. `trim` would remove non-breaking spaces too and make two names equal. */
function trimmed(pair: string, start: number, end: number): string {
  let first = start
  let last = end
  while (first < last && isWhiteSpace(pair.charCodeAt(first))) first++
  while (first < last && isWhiteSpace(pair.charCodeAt(last - 1))) last--
  return pair.slice(first, last)
}

const SPACE = 32
const TAB = 9
const isWhiteSpace = (code: number): boolean => code === SPACE || code === TAB

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
