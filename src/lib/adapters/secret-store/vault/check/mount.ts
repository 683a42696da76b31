import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { SERVICE } from '../../../../ports/secret-store.ts'
import { failureText } from '../failure-text.ts'
import { askMount } from '../mount.ts'
import type { VaultCheckOptions } from './check.ts'

export async function checkMount({
  calls,
  mount,
  persons,
}: VaultCheckOptions): Promise<ConnectionFinding> {
  const asked = await askMount(calls, SERVICE, mount)
  if (!asked.ok) {
    return asked.error.kind === 'secret_store_denied'
      ? fails(
          `There is no mount ${mount} (VAULT_MOUNT), or the login has no right below it: its policy is \`deploy/vault/${persons === null ? 'portico' : 'portico-runs'}.hcl\`, with the name of the mount.`,
        )
      : fails(`The mount ${mount} is not known: ${failureText(asked.error)}.`)
  }
  switch (asked.value) {
    case 'absent':
      return fails(
        `There is no mount ${mount}, but one above it: what lies below a mount is VAULT_PREFIX.`,
      )
    case 'other_engine':
      return fails(`The mount ${mount} is not a key/value store.`)
    case 'version_1':
      return fails(
        `The mount ${mount} is a key/value store of version 1: \`bao kv enable-versioning ${mount}\` makes it one of version 2.`,
      )
    case 'version_2':
      return works(`The mount ${mount} is a key/value store of version 2.`)
  }
}
