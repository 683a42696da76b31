import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { DatabaseAddress } from './address.ts'

const TRYING = ['allow', 'prefer']
const VERIFYING = ['verify-ca', 'verify-full']

/** Whether passwords and sessions are encrypted on their way, and why not. */
export function checkTls(
  { sslMode, isLocal, server }: DatabaseAddress,
  offersTls: boolean,
  authority: string | null,
): ConnectionFinding {
  // Without a mode the certificate is checked, except on this machine.
  const isVerified = authority !== null || (sslMode ? VERIFYING.includes(sslMode) : !isLocal)
  if (isVerified) return works(`The connection to ${server} is encrypted, its certificate checked.`)
  const isEncrypted = sslMode === 'require' || (TRYING.includes(sslMode ?? '') && offersTls)
  if (isEncrypted) {
    return works(
      `The connection to ${server} is encrypted, but nobody checks the certificate: DATABASE_CA_FILE or sslmode=verify-full does.`,
    )
  }
  if (isLocal) return works(`The connection is not encrypted; it does not leave this machine.`)
  if (sslMode === 'disable') {
    return works(`The connection to ${server} is not encrypted, as sslmode=disable says.`)
  }
  return fails(
    `The connection to ${server} is not encrypted, because the server offers no TLS: switch it on there (ssl = on). In a network that you trust, say sslmode=disable.`,
  )
}
