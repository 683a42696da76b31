import type { SecretStore } from '../../../ports/secret-store.ts'
import { createVaultClient, type VaultClientOptions } from './api/create-client.ts'
import { createVaultCheck, type VaultCheckOptions } from './check/check.ts'
import { createEntries } from './entries.ts'
import { createEntryRequests } from './entry-requests.ts'
import { createVaultCalls, type VaultCallsOptions } from './login/calls.ts'
import { createMayCreate } from './may-create.ts'
import { createMountProof } from './mount.ts'

export interface VaultStoreOptions
  extends
    VaultClientOptions,
    Omit<VaultCallsOptions, 'client'>,
    Omit<VaultCheckOptions, 'client' | 'calls'> {}

/** Entries of Vault or OpenBao, in a KV secrets engine of version 2. */
export function createVaultStore(options: VaultStoreOptions): SecretStore {
  const client = createVaultClient(options)
  const calls = createVaultCalls({ ...options, client })
  const requests = createEntryRequests({ ...options, calls })
  const mountProof = createMountProof({ ...options, calls })
  const knowsPersons = options.persons !== null
  return {
    knowsPersons,
    ...createEntries({ requests, mountProof }),
    mayCreate: createMayCreate({ calls, requests, knowsPersons }),
    check: createVaultCheck({ ...options, client, calls }),
    close: () => calls.close(),
  }
}
