import { failureText } from '../../lib/adapters/secret-store/vault/failure-text.ts'
import type { SecretStoreFailure } from '../../lib/ports/secret-store.ts'

/** Why a sealed version cannot be read, for people. */
export function unreadText(failure: SecretStoreFailure): string {
  if (failure.kind === 'secret_store_sealed') return 'no key of SECRET_STORE_KEYS opens it'
  if (failure.kind === 'secret_store_unreachable') return 'the database cannot be used'
  return failure.kind === 'secret_store_error' && failure.reason === 'version_damaged'
    ? 'it is damaged'
    : failureText(failure)
}

/** Names in files may hold anything, also control characters of a terminal. */
export const shown = (name: string): string =>
  /^[\w.+/-]{1,200}$/.test(name)
    ? name
    : JSON.stringify(name.slice(0, 200)).replaceAll(/[^\x20-\x7e]/g, '?')
