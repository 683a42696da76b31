import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseJson } from '../../text/json.ts'

/** Where a list goes on. Opaque to clients. */
export interface Cursor {
  /** What is listed: a place of one list is no place of another. */
  readonly of: readonly string[]
  /** The API server's own. */
  readonly after: string
}

export const encodeCursor = ({ of, after }: Cursor): string =>
  Buffer.from(JSON.stringify([...of, after])).toString('base64url')

const Parts = Compile(Type.Array(Type.String()))

/** `undefined`: no cursor of this list. */
export function decodeCursor(text: string, of: readonly string[]): string | undefined {
  const parts = parseJson(Buffer.from(text, 'base64url').toString('utf8'))
  if (!Parts.Check(parts) || parts.length !== of.length + 1) return undefined
  return of.every((part, index) => part === parts[index]) ? parts.at(-1) : undefined
}
