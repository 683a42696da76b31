import { X509Certificate } from 'node:crypto'
import { err, ok, type Result } from '../result.ts'

const PEM_MAX_LENGTH = 256 * 1024
const CERTIFICATE = 'CERTIFICATE'

/**
 * Returns the certificates of a PEM file. One that is unreadable is an error, and so is a file without a certificate that is valid now: an
 * empty `ca` would mean the system's roots. Bundles of public clouds keep expired roots beside their successors.
 */
export function parseAuthority(pem: string, nowMs: number): Result<string, string> {
  if (/PRIVATE KEY-----/.test(pem)) {
    return err('holds a private key, which belongs to nobody who only verifies')
  }
  if (pem.length > PEM_MAX_LENGTH) return err(`is longer than ${PEM_MAX_LENGTH} characters`)
  const blocks = pemBlocks(pem.replaceAll(/\r\n?/g, '\n'))
  if (blocks === null) return err('is not PEM')
  if (blocks.length === 0) return err('holds no PEM certificate')

  const certificates: string[] = []
  const untimely: string[] = []
  for (const [index, { label, text }] of blocks.entries()) {
    const subject = blocks.length === 1 ? 'the certificate' : `certificate ${index + 1}`
    if (label !== CERTIFICATE) return err('holds something else than certificates')
    const certificate = parseCertificate(text)
    if (certificate === null) return err(`${subject} is not readable`)
    if (certificate.validToDate.getTime() < nowMs) {
      untimely.push(`${subject} expired on ${certificate.validToDate.toISOString()}`)
    } else if (certificate.validFromDate.getTime() > nowMs) {
      untimely.push(`${subject} is not valid before ${certificate.validFromDate.toISOString()}`)
    }
    certificates.push(certificate.toString())
  }
  const [first] = untimely
  return first !== undefined && untimely.length === certificates.length
    ? err(first)
    : ok(certificates.join(''))
}

interface PemBlock {
  readonly label: string
  readonly text: string
}

/** Text around the blocks is allowed (RFC 7468 §2). Returns `null` if a BEGIN and an END do not match. */
function pemBlocks(pem: string): readonly PemBlock[] | null {
  const edges = [...pem.matchAll(EDGE)]
  const blocks: PemBlock[] = []
  for (let index = 0; index < edges.length; index += 2) {
    const [begin, end] = edges.slice(index, index + 2)
    const label = begin?.[2]
    const isBlock = begin?.[1] === 'BEGIN' && end?.[1] === 'END' && end[2] === label
    if (!isBlock || label === undefined) return null
    blocks.push({ label, text: pem.slice(begin.index, end.index + end[0].length) })
  }
  return blocks
}

const EDGE = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----[ \t]*$/gm

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}
