/** The cookies of a browser. One host, and paths as prefixes. */
export interface CookieJar {
  /** The `Cookie` header for a path; `''` without cookies. */
  header(path: string): string
  /** Keeps and forgets cookies as an answer says. */
  take(response: Response): void
  names(): readonly string[]
}

export function createCookieJar(): CookieJar {
  const held = new Map<string, { readonly value: string; readonly path: string }>()
  return {
    header: (path) =>
      [...held]
        .filter(([, cookie]) => path.startsWith(cookie.path))
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; '),
    take(response) {
      for (const setCookie of response.headers.getSetCookie()) {
        const [pair = '', ...attributes] = setCookie.split('; ')
        const [name = '', value = ''] = pair.split('=')
        const path = attributes.find((one) => one.startsWith('Path='))?.slice(5) ?? '/'
        if (attributes.includes('Max-Age=0')) held.delete(name)
        else held.set(name, { value, path })
      }
    },
    names: () => [...held.keys()],
  }
}
