import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import type { Result } from '../../../../result.ts'
import type { StoreSession } from './lease.ts'

/** The tokens of one actor. Logins happen when a token is needed, once for all who wait for it. */
export interface Tokens {
  current(): Promise<Result<StoreSession, SecretStoreFailure>>
  /** A token in place of one that the store has refused. `null`: there is no other. */
  replace(refused: StoreSession): Promise<Result<StoreSession | null, SecretStoreFailure>>
}
