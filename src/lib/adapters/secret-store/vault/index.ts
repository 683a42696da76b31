import { type SecretActor, type SecretStore, SERVICE } from '../../../ports/secret-store.ts'
import { createEntries } from './entries.ts'
import { createEntryRequests, type EntryRequestsOptions } from './entry-requests.ts'
import { createMayCreate } from './may-create.ts'
import { createMountProof } from './mount.ts'

export interface VaultStoreOptions extends EntryRequestsOptions {
  readonly knowsPersons: boolean
  readonly check: SecretStore['check']
}

/** Entries of Vault or OpenBao, in a KV secrets engine of version 2. */
export function createVaultStore(options: VaultStoreOptions): SecretStore {
  const { calls, knowsPersons, check } = options
  const requests = createEntryRequests(options)
  const entries = createEntries({ requests, mountProof: createMountProof(options) })
  const mayCreate = createMayCreate({ calls, requests })
  const nameOf = (actor: SecretActor): SecretActor => (knowsPersons ? actor : SERVICE)

  return {
    knowsPersons,
    describe: (path, actor) => entries.describe(path, nameOf(actor)),
    merge: (path, expected, values, actor) => entries.merge(path, expected, values, nameOf(actor)),
    label: (path, origin, actor) => entries.label(path, origin, nameOf(actor)),
    mayCreate: (path, actor) => mayCreate(path, nameOf(actor)),
    check,
    close: () => calls.close(),
  }
}
