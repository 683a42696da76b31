import { KeyObject } from 'node:crypto'
import type { X509Certificate } from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
/** Apple's TLS refuses server certificates that are valid for longer. */
const VALID_DAYS = 397
/** Tolerates a client whose clock is slow. */
const BACKDATED_MS = 3_600_000

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string
  /** Issues a server certificate for 127.0.0.1, localhost and the id of a cluster. */
  readonly issue: (id: string) => Promise<KeyPair>
}

/** The library reads metadata as it loads, so `reflect-metadata` comes first. */
export async function loadX509() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

export const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/** Makes a new authority. Nobody but the clients of the demo's clusters trusts it, and its key is never stored. */
export async function createAuthority(now: number): Promise<CertificateAuthority> {
  const x509 = await loadX509()
  const keys = await newKeys()
  const validity = {
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
  }
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    // Clients find the issuer of a certificate by name, so each key needs another one.
    name: `CN=Portico demo ${crypto.randomUUID().slice(0, 8)}`,
    ...validity,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return {
    certificate: `${authority.toString('pem')}\n`,
    async issue(id) {
      const serverKeys = await newKeys()
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${id}`,
        issuer: authority.subject,
        ...validity,
        publicKey: serverKeys.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension([
            { type: 'ip', value: '127.0.0.1' },
            { type: 'dns', value: 'localhost' },
            { type: 'dns', value: id },
          ]),
          await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ],
      })
      return toPem(certificate, serverKeys.privateKey)
    },
  }
}

export const toPem = (certificate: X509Certificate, privateKey: CryptoKey): KeyPair => ({
  certificate: `${certificate.toString('pem')}\n`,
  key: KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }),
})
