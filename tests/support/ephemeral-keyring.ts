import { type Keyring, parseKeys } from '#src/lib/crypto/keyring.ts'
import { randomBytes } from 'node:crypto'

/** A keyring with one random key. */
export function ephemeralKeyring(id = 'ephemeral'): Keyring {
  const parsed = parseKeys(`${id}:${randomBytes(32).toString('base64')}`)
  if (!parsed.ok) throw new Error(parsed.error.reason)
  return parsed.value
}
