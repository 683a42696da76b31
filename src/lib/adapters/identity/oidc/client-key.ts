import { createPrivateKey, type KeyObject } from 'node:crypto'
import { err, ok, type Result } from '../../../result.ts'

const RSA_BITS_MIN = 2048
/** Signature algorithms, by OpenSSL's name of the curve. */
const EC_ALGORITHMS = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
])

/** Private key of this client, for `private_key_jwt` (OpenID Connect Core 1.0 §9). */
export interface ClientKey {
  /** PKCS#8. */
  readonly pem: string
  /** The first one that the provider accepts signs. */
  readonly algorithms: readonly string[]
}

export function clientKey(pem: string): Result<ClientKey, string> {
  const algorithms = algorithmsOf(readKey(pem))
  return algorithms.length > 0
    ? ok({ pem, algorithms })
    : err('must be a private key in PKCS#8 PEM: RSA of at least 2048 bits, or EC on a NIST curve')
}

function readKey(pem: string): KeyObject | null {
  if (!pem.startsWith('-----BEGIN PRIVATE KEY-----')) return null
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

function algorithmsOf(key: KeyObject | null): readonly string[] {
  const { modulusLength = 0, namedCurve = '' } = key?.asymmetricKeyDetails ?? {}
  if (key?.asymmetricKeyType === 'rsa') {
    return modulusLength >= RSA_BITS_MIN ? ['RS256', 'PS256'] : []
  }
  const algorithm = EC_ALGORITHMS.get(namedCurve)
  return algorithm === undefined ? [] : [algorithm]
}
