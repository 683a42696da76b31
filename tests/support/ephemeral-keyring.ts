import { type Keyring, parseKeys } from '#src/lib/crypto/keyring.ts'
import { randomBytes } from 'node:crypto'
import { valueOf } from '#tests/support/value-of.ts'

/** A keyring with one random key. */
export function ephemeralKeyring(id = 'ephemeral'): Keyring {
  return valueOf(parseKeys(`${id}:${randomBytes(32).toString('base64')}`))
}
