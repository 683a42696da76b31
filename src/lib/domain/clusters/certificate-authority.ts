import { X509Certificate } from 'node:crypto'
import { err, ok, type Result } from '../../result.ts'

const PEM_MAX_LENGTH = 256 * 1024
const CERTIFICATE = 'CERTIFICATE'

/**
 * The certificates of a PEM file, and nothing else that may be in it: what is trusted is what was looked at. Every one has to be
 * good, for an empty or unreadable authority would mean the system's roots to the one who connects.
 */
export function parseAuthority(pem: string, nowMs: number): Result<string, string> {
  if (/PRIVATE KEY-----/.test(pem)) {
    return err('holds a private key, which belongs to nobody who only verifies')
  }
  if (pem.length > PEM_MAX_LENGTH) return err(`is longer than ${PEM_MAX_LENGTH} characters`)
  const blocks = pemBlocks(pem)
  if (blocks === null) return err('is not PEM')
  if (blocks.length === 0) return err('holds no PEM certificate')

  const certificates: string[] = []
  for (const [index, { label, text }] of blocks.entries()) {
    const which = blocks.length === 1 ? 'the certificate' : `certificate ${index + 1}`
    if (label !== CERTIFICATE) return err('holds something else than certificates')
    const certificate = parseCertificate(text)
    if (certificate === null) return err(`${which} is not readable`)
    if (certificate.validToDate.getTime() < nowMs) {
      return err(`${which} expired on ${certificate.validToDate.toISOString()}`)
    }
    if (certificate.validFromDate.getTime() > nowMs) {
      return err(`${which} is not valid before ${certificate.validFromDate.toISOString()}`)
    }
    certificates.push(certificate.toString())
  }
  return ok(certificates.join(''))
}

interface PemBlock {
  readonly label: string
  readonly text: string
}

/** Text around the blocks is allowed (RFC 7468 §2); `null` if one does not end, or ends what did not begin. */
function pemBlocks(pem: string): readonly PemBlock[] | null {
  const blocks: PemBlock[] = []
  let open: { readonly label: string; readonly lines: string[] } | null = null
  for (const line of pem.split(/\r\n|\r|\n/)) {
    const [, edge, label] = EDGE.exec(line) ?? []
    open?.lines.push(line)
    if (edge === undefined || label === undefined) continue
    if (edge === 'BEGIN' && open === null) {
      open = { label, lines: [line] }
    } else if (edge === 'END' && open?.label === label) {
      blocks.push({ label, text: open.lines.join('\n') })
      open = null
    } else {
      return null
    }
  }
  return open === null ? blocks : null
}

const EDGE = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----[ \t]*$/

function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}
