import type { EnvironmentName } from '../../../../names.ts'
import { type ConnectionFinding, works } from '../../../../ports/connection-finding.ts'
import type { AddressHealth, VaultClient } from '../api/client.ts'
import type { VaultCalls } from '../login/calls.ts'
import type { PersonLogin } from '../login/method.ts'
import { addressFinding, namespaceFindings } from './addresses.ts'
import { checkLogin } from './login.ts'
import { checkMount } from './mount.ts'
import { checkPersonsRole } from './persons-role.ts'
import { checkRights } from './rights.ts'

export interface VaultCheckOptions {
  readonly client: Pick<VaultClient, 'health' | 'send'>
  readonly calls: Pick<VaultCalls, 'call'>
  readonly mount: string
  readonly namespace: string | null
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  /** In the order of promotion. */
  readonly environments: readonly EnvironmentName[]
  /** The login of persons; `null`: the service does everything with its own rights. */
  readonly persons: PersonLogin | null
}

/** States in which a node, or the leader behind it, takes requests. */
const SERVING: ReadonlySet<AddressHealth['state']> = new Set(['active', 'standby'])

/** Looks at everything that can be looked at with the login of the service, and writes nothing. */
export const createVaultCheck = (options: VaultCheckOptions) =>
  async function check(): Promise<readonly ConnectionFinding[]> {
    const health = await options.client.health()
    const addresses = [
      ...health.map(addressFinding),
      ...(options.namespace === null ? [] : namespaceFindings(health)),
    ]
    if (!health.some(({ state }) => SERVING.has(state))) return addresses
    const login = await checkLogin(options.calls)
    // Each further question would be answered with the same refusal.
    const further = login.works
      ? await Promise.all([checkEntries(options), checkPersons(options)])
      : []
    return [...addresses, ...login.findings, ...further.flat()]
  }

/** On a mount that is not there every right is missing. */
async function checkEntries(options: VaultCheckOptions): Promise<readonly ConnectionFinding[]> {
  const mount = await checkMount(options)
  return mount.ok ? [mount, ...(await checkRights(options))] : [mount]
}

async function checkPersons({
  client,
  persons,
}: VaultCheckOptions): Promise<readonly ConnectionFinding[]> {
  if (persons === null) return []
  return [
    await checkPersonsRole(client, persons),
    works('Not checked: the rights of persons, which only their sign-in has.'),
  ]
}
