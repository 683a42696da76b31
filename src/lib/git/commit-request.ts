import type { FileChange, Author } from '../ports/git-host.ts'

/** The path of a second change to one path, or to `a` and `a/b`: one of the two would silently be dropped. */
export function findClashingPath(changes: readonly FileChange[]): string | undefined {
  const paths = new Set<string>()
  for (const { path } of changes) {
    if (paths.has(path)) return path
    paths.add(path)
  }
  for (const { kind, path } of changes) {
    if (kind === 'delete') continue
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (paths.has(path.slice(0, end))) return path
    }
  }
  return undefined
}

/** A line break or an angle bracket would forge other fields of the commit. */
export function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) => text.replaceAll(/[<>\p{Cc}]/gu, ' ').trim()
  return { name: clean(name) || 'unknown', email: clean(email).replaceAll(' ', '') }
}

export function cleanMessage(message: string): string {
  return `${message.replaceAll('\0', '').trimEnd()}\n`
}
