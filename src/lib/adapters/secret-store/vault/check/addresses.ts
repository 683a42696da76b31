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
    case 'unreachable':
      return fails(`${at} cannot be reached${reason === undefined ? '' : `: ${reason}`}.`)
  }
}
