import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto'
import { err, ok, type Result } from '../../../result.ts'

const RSA_BITS_MIN = 2048
/** Names of the curves as OpenSSL has them, and their signature algorithm. */
const CURVES = new Map([
  ['prime256v1', { algorithm: 'ES256', name: 'P-256' }],
  ['secp384r1', { algorithm: 'ES384', name: 'P-384' }],
  ['secp521r1', { algorithm: 'ES512', name: 'P-521' }],
])

/** Private key of this client, for `private_key_jwt` (OpenID Connect Core 1.0 §9). */
export interface ClientKey {
  /** The first one that the provider accepts signs. */
  readonly algorithms: readonly string[]
  import(algorithm: string): Promise<CryptoKey>
}

export function clientKey(pem: string): Result<ClientKey, string> {
  const key = readKey(pem)
  const details = key?.asymmetricKeyDetails
  if (key?.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= RSA_BITS_MIN) {
    return ok({
      algorithms: ['RS256', 'PS256'],
      import: (algorithm) =>
        importKey(key, {
          name: algorithm === 'PS256' ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5',
          hash: 'SHA-256',
        }),
    })
  }
  const curve = CURVES.get(details?.namedCurve ?? '')
  if (key?.asymmetricKeyType === 'ec' && curve !== undefined) {
    return ok({
      algorithms: [curve.algorithm],
      import: () => importKey(key, { name: 'ECDSA', namedCurve: curve.name }),
    })
  }
  return err(
    'must be a private key in PKCS#8 PEM: RSA of at least 2048 bits, or EC on a NIST curve',
  )
}

function readKey(pem: string): KeyObject | null {
  if (!pem.startsWith('-----BEGIN PRIVATE KEY-----')) return null
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

const importKey = (
  key: KeyObject,
  algorithm: webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams,
) =>
  crypto.subtle.importKey(
    'pkcs8',
    Uint8Array.from(key.export({ type: 'pkcs8', format: 'der' })),
    algorithm,
    false,
    ['sign'],
  )
