import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import type { AddressHealth } from '../api/client.ts'

export function addressFinding({
  address,
  state,
  version,
  reason,
}: AddressHealth): ConnectionFinding {
  const at = version === null ? address : `${address} (${version})`
  switch (state) {
    case 'active':
      return works(`${at} is active.`)
    case 'standby':
      return works(`${at} is a standby.`)
    case 'sealed':
      return fails(`${at} is sealed: unseal it. Until then runs wait.`)
    case 'not_initialised':
      return fails(`${at} is not initialised: \`bao operator init\` makes its keys.`)
    case 'no_store':
      return fails(`${at} is no Vault: it ${reason}. See VAULT_ADDR: https or http, host, port.`)
    case 'unreachable':
      return fails(`${at} ${unreachableText(reason)}.`)
  }
}

/** Codes of OpenSSL and Node for a certificate that is not accepted. */
const CERTIFICATE = /^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/

function unreachableText(reason: string | undefined): string {
  if (reason === undefined) return 'cannot be reached'
  return CERTIFICATE.test(reason)
    ? `has a certificate that is not accepted (${reason}): see VAULT_CA_FILE`
    : `cannot be reached: ${reason}`
}
