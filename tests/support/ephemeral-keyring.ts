import { type Keyring, parseKeys } from '#src/lib/crypto/keyring.ts'
import { randomBytes } from 'node:crypto'

/** One key that nobody else has. */
export function ephemeralKeyring(): Keyring {
  const parsed = parseKeys(`ephemeral:${randomBytes(32).toString('base64')}`)
  if (!parsed.ok) throw new Error(parsed.error.reason)
  return parsed.value
}
