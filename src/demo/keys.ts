import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { StartFailure } from '../compose/server.ts'
import { type Keyring, parseKeys } from '../lib/crypto/keyring.ts'
import { keepOwnerOnly } from './owner-only-file.ts'

/** The keys of sessions or secrets. The first start makes them, so that both outlive a restart. */
export function keepKeys(path: string): Keyring {
  const text = keepOwnerOnly(path, () => `demo:${randomBytes(32).toString('base64')}\n`)
  const keyring = parseKeys(text.trim())
  if (keyring.ok) return keyring.value
  throw new StartFailure(
    `${path} holds no keys; remove it, and everything that they sealed is lost`,
  )
}

export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** The key that signs tokens. The first start makes it. */
export function keepSigningKey(path: string): SigningKey {
  const pem = keepOwnerOnly(path, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  const privateKey = createPrivateKey(pem)
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
