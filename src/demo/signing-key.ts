import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { keepOwnerOnly } from './owner-only-file.ts'

export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** The key that signs the demo's tokens, made at the first start: sign-ins outlive a restart. */
export function keepSigningKey(path: string): SigningKey {
  const pem = keepOwnerOnly(path, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  const privateKey = createPrivateKey(pem)
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
