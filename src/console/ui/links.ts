/** A link that may be followed. `host` is null within this portal. */
export interface SafeLink {
  readonly href: string
  readonly host: string | null
}

/** No host of this name exists (RFC 2606): a path that resolves to it is one of our own. */
const OWN = 'http://own.invalid'

/**
 * The link of a text from outside: `http:` and `https:` without a user name, which can look like the host, or a path of this portal.
 * Null for everything else, such as `javascript:` and `data:`. The address is the one that the browser will use.
 */
export function safeLink(text: string): SafeLink | null {
  const url = URL.parse(text)
  if (url === null) {
    const own = text.startsWith('/') ? URL.parse(text, OWN) : null
    // The path of `/.//host` is `//host`, which names another host.
    if (own === null || own.origin !== OWN || own.pathname.startsWith('//')) return null
    return { href: own.pathname + own.search + own.hash, host: null }
  }
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb || url.username !== '' || url.password !== '') return null
  return { href: url.href, host: url.host }
}

/** Ids of headings of a document, apart from those of the page that shows it. */
export const HEADING_PREFIX = 'readme-'
