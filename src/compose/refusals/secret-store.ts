import type { SecretStore, SecretStoreFailure } from '../../lib/ports/secret-store.ts'
import type { Outages } from '../../lib/logging/outages.ts'
import { createRefusalLog } from './refusal-log.ts'

/** The secret store, with its refusals in the log, those of persons too: their policies are the operators' work. */
export function withSecretStoreRefusals(store: SecretStore, outages: Outages): SecretStore {
  const { noted } = createRefusalLog<SecretStoreFailure>(outages, 'secret store', {
    outages: ['secret_store_error'],
    refusals: ['secret_store_denied', 'secret_store_forbidden', 'secret_store_unauthorized'],
  })
  return {
    knowsPersons: store.knowsPersons,
    describe: (...args) => noted('describe', store.describe(...args)),
    merge: (...args) => noted('merge', store.merge(...args)),
    label: (...args) => noted('label', store.label(...args)),
    mayCreate: (...args) => noted('mayCreate', store.mayCreate(...args)),
    access: () => noted('access', store.access()),
    check: () => store.check(),
    close: () => store.close(),
  }
}
