import type { SecretStoreFailure } from '../../../ports/secret-store.ts'

/** A failure as part of a sentence for operators. */
export function failureText(failure: SecretStoreFailure): string {
  switch (failure.kind) {
    case 'secret_store_unreachable':
      return 'the secret store cannot be reached'
    case 'secret_store_timeout':
      return 'the secret store does not answer in time'
    case 'secret_store_sealed':
      return 'the secret store is sealed'
    case 'secret_store_rate_limited':
      return `the secret store takes no request for ${failure.retryAfterSeconds} s`
    case 'secret_store_error':
      return failure.reason
    case 'secret_store_denied':
    case 'secret_store_forbidden':
    case 'secret_store_unauthorized':
      return `refused: ${failure.what}`
    case 'secret_conflict':
      return 'another writer was first'
  }
}
