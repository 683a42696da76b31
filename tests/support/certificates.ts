// oxlint-disable-next-line import/no-unassigned-import -- what @peculiar/x509 looks for when it is loaded
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60_000

export interface Authority {
  readonly pem: string
  /** A server's certificate and key, for these names. */
  issue(names?: readonly string[], validity?: Validity): Promise<{ cert: string; key: string }>
}

interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

const now = (): Validity => ({
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + DAY_MS),
})
export const expired = (): Validity => ({
  notBefore: new Date(Date.now() - 2 * DAY_MS),
  notAfter: new Date(Date.now() - DAY_MS),
})

/** A certificate authority that nobody trusts by itself. Two of one name have different keys. */
export async function makeAuthority(name = 'Test CA'): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...now(),
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  return {
    pem: authority.toString('pem'),
    issue: (names = ['127.0.0.1', 'localhost'], validity = now()) =>
      issue(authority, keys.privateKey, names, validity),
  }
}

async function issue(
  authority: X509Certificate,
  signingKey: CryptoKey,
  names: readonly string[],
  validity: Validity,
) {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? 'nobody'}`,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value })),
      ),
    ],
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    cert: certificate.toString('pem'),
    key: PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  }
}
