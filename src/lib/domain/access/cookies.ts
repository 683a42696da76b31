/**
 * The cookies of a raw `Cookie` header, in its order: cookie libraries decode values. Names are case-sensitive. Browsers send the
 * cookies of a path oldest first (RFC 6265 §5.4).
 */
export function cookiesIn(header: string): readonly (readonly [name: string, value: string])[] {
  return header.split(';').flatMap((pair) => {
    const separator = pair.indexOf('=')
    if (separator < 0) return []
    return [[trimmed(pair, 0, separator), trimmed(pair, separator + 1, pair.length)] as const]
  })
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

interface CookieAttributes {
  readonly path: string
  readonly maxAgeSeconds: number
  /** Whether the browser sends the cookie over https only. */
  readonly secure: boolean
}

/** A `Set-Cookie` value. No `Domain`: sibling hosts must not see the cookie. */
export const setCookie = (
  name: string,
  value: string,
  { path, maxAgeSeconds, secure }: CookieAttributes,
): string =>
  `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`
