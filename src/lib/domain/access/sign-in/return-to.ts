/** An authorization request has a `state` and a `redirect_uri` of up to 500 characters each. */
const LENGTH_MAX = 2_000
/** Without a scheme and two slashes, URL parsers read `https:evil` and `docs` relative to the present page. */
const PATH_OR_URL = /^(?:\/|https?:\/\/)/i
const HOME = '/'

/** Reads `return_to`: where to go after a sign-in. */
export type ReturnTo = (given: string | null) => string

/**
 * Allows paths of our own origin, and absolute URLs of our origin or a UI origin; anything else becomes `/`. Answers what the URL
 * parser made of the text, never the text itself: browsers drop tabs and line breaks and read a backslash as a slash.
 */
export function createReturnTo(publicUrl: URL, uiOrigins: readonly string[]): ReturnTo {
  const own = publicUrl.origin
  return (given) => {
    if (given === null || !PATH_OR_URL.test(given)) return HOME
    const url = URL.parse(given, own)
    if (url === null || url.username !== '' || url.password !== '') return HOME
    const target = url.origin === own ? pathOf(url) : url.href
    const isAllowed = url.origin === own || uiOrigins.includes(url.origin)
    return isAllowed && target.length <= LENGTH_MAX ? target : HOME
  }
}

/** `/.//evil.example` has the path `//evil.example`, which a browser would read as another host. */
const pathOf = ({ pathname, search, hash }: URL): string =>
  pathname.startsWith('//') ? HOME : `${pathname}${search}${hash}`
