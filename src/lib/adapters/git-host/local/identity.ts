import type { Author } from '../../../ports/git-host.ts'

/** Git objects have lines: text that goes into one must not start another. */
export function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) => text.replaceAll(/[<>\p{Cc}]/gu, ' ').trim()
  return { name: clean(name) || 'unknown', email: clean(email).replaceAll(' ', '') }
}

export function cleanMessage(message: string): string {
  return `${message.replaceAll('\0', '').trimEnd()}\n`
}
