import { isRefusedCertificate } from '../../../../outbound/connection-codes.ts'
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

/** With a namespace in the settings. */
export const namespaceFindings = (health: readonly AddressHealth[]): readonly ConnectionFinding[] =>
  health
    .filter(({ isCommunityEdition }) => isCommunityEdition)
    .map(({ address }) =>
      fails(
        `${address} is Vault’s Community Edition, which takes no notice of VAULT_NAMESPACE: entries would be outside of it.`,
      ),
    )

function unreachableText(reason: string | undefined): string {
  if (reason === undefined) return 'cannot be reached'
  return isRefusedCertificate(reason)
    ? `has a certificate that is not accepted (${reason}): see VAULT_CA_FILE`
    : `cannot be reached: ${reason}`
}
