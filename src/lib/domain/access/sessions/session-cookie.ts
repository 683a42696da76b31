import { cookiesIn, setCookie } from '../cookies.ts'
import { isSessionToken } from './session-token.ts'
import type { Session } from './session.ts'

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

/** The browser keeps the cookie until the absolute end of the session. `secure`: it sends it over https only. */
export function sessionCookie(
  token: string,
  { createdAt, expiresAt }: Pick<Session, 'createdAt' | 'expiresAt'>,
  secure: boolean,
): string {
  const maxAgeSeconds = Math.floor((expiresAt - createdAt) / 1000)
  return setCookie(SESSION_COOKIE, token, { path: '/', maxAgeSeconds, secure })
}

export const clearedSessionCookie = (secure: boolean): string =>
  setCookie(SESSION_COOKIE, '', { path: '/', maxAgeSeconds: 0, secure })
