import { certificateFault, isRefusedCertificate } from '../../../../outbound/connection-codes.ts'
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
      return fails(unreachableText(at, reason))
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

function unreachableText(at: string, reason: string | undefined): string {
  if (reason === undefined) return `${at} cannot be reached.`
  const remedy = 'VAULT_CA_FILE must name the one that signed it'
  return isRefusedCertificate(reason)
    ? `The certificate of ${at} ${certificateFault(reason, remedy)}.`
    : `${at} cannot be reached: ${reason}.`
}
