import type { Extension, X509Certificate } from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 730
/** What browsers and Apple's TLS take at most. */
const SERVER_DAYS = 397
/** Clocks differ. */
const EARLIER_MS = 3_600_000

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** Loaded when a certificate has to be made, which is once in a year. Its dependencies look for the metadata as they load. */
export async function loadX509() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

export const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

const validity = (now: number, days: number) => ({
  notBefore: new Date(now - EARLIER_MS),
  notAfter: new Date(now + days * DAY_MS),
})

export async function makeAuthority(now: number): Promise<KeyPair> {
  const x509 = await loadX509()
  const keys = await newKeys()
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
  ]
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // Another name for another key: clients find the issuer by it.
    name: `CN=Portico demo ${crypto.randomUUID().slice(0, 8)}`,
    ...validity(now, AUTHORITY_DAYS),
    keys,
    extensions,
  })
  return toPem(certificate, keys.privateKey)
}

/** For 127.0.0.1, localhost and the id of the cluster. */
export async function makeServer(authority: KeyPair, id: string, now: number): Promise<KeyPair> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.certificate)
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key),
    ALGORITHM,
    false,
    ['sign'],
  )
  const keys = await newKeys()
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([
      { type: 'ip', value: '127.0.0.1' },
      { type: 'dns', value: 'localhost' },
      { type: 'dns', value: id },
    ]),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ]
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${id}`,
    issuer: issuer.subject,
    ...validity(now, SERVER_DAYS),
    publicKey: keys.publicKey,
    signingKey,
    extensions,
  })
  return toPem(certificate, keys.privateKey)
}

export async function toPem(certificate: X509Certificate, privateKey: CryptoKey): Promise<KeyPair> {
  const { PemConverter } = await loadX509()
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', privateKey)
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
  }
}
