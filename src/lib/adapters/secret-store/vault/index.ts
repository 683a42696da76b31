import { orAbort } from '../../../concurrency/or-abort.ts'
import { isTimeout, withinDeadline } from '../../../outbound/deadline.ts'
import type { SecretStore, SecretStoreFailure } from '../../../ports/secret-store.ts'
import { err, type Result } from '../../../result.ts'
import { createVaultCalls, type VaultCallsOptions } from './calls.ts'
import { checkVault, type VaultToCheck } from './check.ts'
import { createVaultClient, DEADLINE_MS, type VaultClientOptions } from './client.ts'
import { createEntries, createMountProof } from './entries.ts'

export interface VaultStoreOptions
  extends
    VaultClientOptions,
    Omit<VaultCallsOptions, 'client'>,
    Omit<VaultToCheck, 'client' | 'calls'> {}

/** Entries of Vault or OpenBao, in a KV secrets engine of version 2. */
export function createVaultStore(options: VaultStoreOptions): SecretStore {
  const client = createVaultClient(options)
  const shared = createVaultCalls({ ...options, client })
  const proveMount = createMountProof(options.mount)

  /**
   * Does a call of the port, which may take several requests, within one deadline, and sends nothing after it. A login goes on: others
   * may wait for it.
   */
  const inTime = <Value>(
    work: (entries: ReturnType<typeof createEntries>) => Promise<Result<Value, SecretStoreFailure>>,
  ) =>
    withinDeadline(options.deadlineMs ?? DEADLINE_MS, async (signal) => {
      const call: typeof shared.call = (actor, request, right) =>
        shared.call(actor, { ...request, signal }, right)
      const entries = createEntries({ ...shared, call }, options, proveMount)
      try {
        return await orAbort(work(entries), signal)
      } catch (error) {
        if (!isTimeout(error)) throw error
        return err({ kind: 'secret_store_timeout' } as const)
      }
    })

  return {
    knowsPersons: options.persons !== null,
    describe: (...args) => inTime((entries) => entries.describe(...args)),
    merge: (...args) => inTime((entries) => entries.merge(...args)),
    label: (...args) => inTime((entries) => entries.label(...args)),
    mayCreate: (...args) => inTime((entries) => entries.mayCreate(...args)),
    access: () => shared.logIn(),
    check: () => checkVault({ ...options, client, calls: shared }),
    close: () => shared.close(),
  }
}
