import type { Author } from '../../ports/git-host.ts'

/** A line break or an angle bracket would forge other fields of the commit. */
export function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) => text.replaceAll(/[<>\p{Cc}]/gu, ' ').trim()
  return { name: clean(name) || 'unknown', email: clean(email).replaceAll(' ', '') }
}

export function cleanMessage(message: string): string {
  return `${message.replaceAll('\0', '').trimEnd()}\n`
}
