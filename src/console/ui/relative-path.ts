const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/** As it is where its percent signs encode nothing. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The path in a repository that a link of a document leads to: `../c` of `a/b.md` is `c`, and `/c` begins at the root.
 * `undefined`: it leaves the repository.
 */
export function pathFrom(document: string, href: string): string | undefined {
  const segments: string[] = []
  const folder = href.startsWith('/') ? '' : folderOf(document)
  for (const segment of `${folder}/${decoded(href)}`.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}
