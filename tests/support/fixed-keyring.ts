import { type Keyring, parseKeys } from '#src/lib/crypto/keyring.ts'

/** As they are written in configuration: for tests in which a process, or a later keyring, must have the same ones. */
export const KEY_1 = `k1:${Buffer.alloc(32, 1).toString('base64')}`
export const KEY_2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`

export function keyringOf(keys: string): Keyring {
  const parsed = parseKeys(keys)
  if (!parsed.ok) throw new Error(parsed.error.reason)
  return parsed.value
}
