import { withinDeadline } from '../../../outbound/deadline.ts'
import type { SecretStore } from '../../../ports/secret-store.ts'
import { createVaultClient, DEADLINE_MS, type VaultClientOptions } from './api/create-client.ts'
import { createVaultCheck, type VaultCheckOptions } from './check/check.ts'
import { createEntries } from './entries.ts'
import { createEntryRequests } from './entry-requests.ts'
import { createVaultCalls, type VaultCallsOptions } from './login/calls.ts'
import { callsUntil } from './login/calls-until.ts'
import { createMayCreate } from './may-create.ts'
import { createMountProof } from './mount.ts'

export interface VaultStoreOptions
  extends
    VaultClientOptions,
    Omit<VaultCallsOptions, 'client'>,
    Omit<VaultCheckOptions, 'client' | 'calls'> {}

/** Entries of Vault or OpenBao, in a KV secrets engine of version 2. */
export function createVaultStore(options: VaultStoreOptions): SecretStore {
  const { mount, deadlineMs = DEADLINE_MS } = options
  const client = createVaultClient(options)
  const shared = createVaultCalls({ ...options, client })
  const mountProof = createMountProof(mount)
  const knowsPersons = options.persons !== null

  function partsUntil(signal: AbortSignal) {
    const calls = callsUntil(shared, signal)
    const requests = createEntryRequests({ ...options, calls })
    return {
      ...createEntries({ requests, mountProof: (actor) => mountProof(calls, actor) }),
      mayCreate: createMayCreate({ calls, requests, knowsPersons }),
    }
  }

  /** Does a call of the port, which may take several requests, within one deadline. */
  const inTime = <Outcome>(
    work: (parts: ReturnType<typeof partsUntil>) => Promise<Outcome>,
  ): Promise<Outcome> => withinDeadline(deadlineMs, (signal) => work(partsUntil(signal)))

  return {
    knowsPersons,
    describe: (...args) => inTime((parts) => parts.describe(...args)),
    merge: (...args) => inTime((parts) => parts.merge(...args)),
    label: (...args) => inTime((parts) => parts.label(...args)),
    mayCreate: (...args) => inTime((parts) => parts.mayCreate(...args)),
    access: () => shared.logIn(),
    check: createVaultCheck({ ...options, client, calls: shared }),
    close: () => shared.close(),
  }
}
