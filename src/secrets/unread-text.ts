import { failureText } from '../lib/adapters/secret-store/vault/failure-text.ts'
import type { SecretStoreFailure } from '../lib/ports/secret-store.ts'

/** Why a stored file cannot be read, for people. */
export function unreadText(failure: SecretStoreFailure): string {
  if (failure.kind === 'secret_store_sealed') return 'no key of SECRET_STORE_KEYS opens it'
  if (failure.kind !== 'secret_store_error') return failureText(failure)
  return UNREAD[failure.reason] ?? failure.reason
}

/** Any other reason is a code of the file system. */
const UNREAD: Readonly<Record<string, string>> = {
  version_damaged: 'it is damaged',
  version_too_large: 'it is too large to be an entry',
  version_gone: 'it changed again and again while it was read',
}

/** Names in files may hold anything, also control characters of a terminal. */
export const shown = (name: string): string =>
  /^[\w.+/-]{1,200}$/.test(name)
    ? name
    : JSON.stringify(name.slice(0, 200)).replaceAll(/[^\x20-\x7e]/g, '?')
