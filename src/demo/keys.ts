import { randomBytes } from 'node:crypto'
import { StartFailure } from '../portal/server.ts'
import { type Keyring, parseKeys } from '../lib/crypto/keyring.ts'
import { keepOwnerOnly } from './owner-only-file.ts'

/** Keys that are made at the first start: sessions and secrets outlive a restart. */
export function keepKeys(path: string): Keyring {
  const text = keepOwnerOnly(path, () => `demo:${randomBytes(32).toString('base64')}\n`)
  const keyring = parseKeys(text.trim())
  if (keyring.ok) return keyring.value
  throw new StartFailure(
    `${path} holds no keys; remove it, and everything that they sealed is lost`,
  )
}
