import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeOwnerOnly } from '../owner-only-file.ts'
import { type KeyPair, makeAuthority, makeServer } from './certificate-maker.ts'

const RENEW_BEFORE_MS = 30 * 86_400_000

export interface Certificates {
  /** PEM: what clients of these clusters trust, and nobody else. */
  readonly authority: string
  readonly serverOf: (id: string) => Promise<KeyPair>
}

/** An authority of the demo's own and the certificates that it signs, kept in a folder and made when they are missing or soon over. */
export async function keepCertificates(directory: string, now: number): Promise<Certificates> {
  const keep = async (
    name: string,
    isUsable: (pair: KeyPair) => boolean,
    make: () => Promise<KeyPair>,
  ) => {
    const kept = await read(directory, name)
    if (kept !== undefined && isUsable(kept)) return kept
    const made = await make()
    write(directory, name, made)
    return made
  }
  const isLasting = ({ validTo }: X509Certificate) => Date.parse(validTo) > now + RENEW_BEFORE_MS

  const authority = await keep(
    'authority',
    (pair) => {
      const certificate = readPair(pair)
      return certificate !== undefined && certificate.ca && isLasting(certificate)
    },
    () => makeAuthority(now),
  )
  const issuer = new X509Certificate(authority.certificate)
  return {
    authority: authority.certificate,
    serverOf: (id) =>
      keep(
        id,
        (pair) => {
          const certificate = readPair(pair)
          return (
            certificate !== undefined &&
            isLasting(certificate) &&
            certificate.checkIssued(issuer) &&
            certificate.verify(issuer.publicKey) &&
            certificate.checkIP('127.0.0.1') !== undefined &&
            ['localhost', id].every((name) => certificate.checkHost(name) !== undefined)
          )
        },
        () => makeServer(authority, id, now),
      ),
  }
}

/** Both in one file: a certificate is never found beside the key of another. */
const fileOf = (directory: string, name: string) => join(directory, `${name}.pem`)

const write = (directory: string, name: string, { certificate, key }: KeyPair) =>
  writeOwnerOnly(fileOf(directory, name), `${certificate}${key}`)

async function read(directory: string, name: string): Promise<KeyPair | undefined> {
  const text = await readFile(fileOf(directory, name), 'utf8').catch(() => '')
  const block = (label: string) =>
    new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\n`).exec(text)?.[0]
  const [certificate, key] = [block('CERTIFICATE'), block('PRIVATE KEY')]
  return certificate === undefined || key === undefined ? undefined : { certificate, key }
}

/** Nothing for what is no certificate, or not of this key. */
function readPair({ certificate, key }: KeyPair): X509Certificate | undefined {
  try {
    const parsed = new X509Certificate(certificate)
    return parsed.checkPrivateKey(createPrivateKey(key)) ? parsed : undefined
  } catch {
    return undefined
  }
}
