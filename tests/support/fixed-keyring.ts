import { type Keyring, parseKeys } from '#src/lib/crypto/keyring.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** Keys in the format of the configuration, for tests that open what another process or keyring has sealed. */
export const KEY_1 = `k1:${Buffer.alloc(32, 1).toString('base64')}`
export const KEY_2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`

export function keyringOf(keys: string): Keyring {
  return valueOf(parseKeys(keys))
}
