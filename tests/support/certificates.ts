import type { X509Certificate } from '@peculiar/x509'
import { loadX509, newKeys, toPem } from '#src/demo/clusters/certificate-authority.ts'

/**
 * Certificates that the demo's own authority does not issue: for any name, expired, and of authorities that differ in their
 * signature alone.
 */

const DAY_MS = 24 * 60 * 60_000
const x509 = await loadX509()

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

/** A certificate authority that nobody trusts by itself. All have the same name, and each its own key. */
export async function makeAuthority(): Promise<Authority> {
  const keys = await newKeys()
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test CA',
    keys,
    ...now(),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
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
  const keys = await newKeys()
  const issued = await x509.X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? 'nobody'}`,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey,
    ...validity,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value })),
      ),
    ],
  })
  const { certificate, key } = toPem(issued, keys.privateKey)
  return { cert: certificate, key }
}
