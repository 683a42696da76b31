import type { SecretPath } from '../names.ts'
import type { Result } from '../result.ts'

/**
 * Secrets of applications, one entry of keys and values per application and environment: in our words what a key/value store
 * with versions is (Vault KV v2). `tests/contracts/secret-store.ts` is the definition: every adapter passes it.
 *
 * Guarantees that hold for every method:
 * - no value ever leaves the store through this port, in an answer, a failure or a log;
 * - what can be expected to go wrong is a `SecretStoreFailure`; nothing is thrown but bugs;
 * - a call ends within the adapter's deadline.
 */
export interface SecretStore {
  /** What is at a path now. Never from a cache. */
  describe(path: SecretPath): Promise<Result<SecretEntry, SecretStoreFailure>>

  /**
   * Sets keys of an entry and leaves its other keys alone, by check-and-set: the entry must be at `expected`, the version that
   * `describe` told, or the write is a `secret_conflict`. An absent entry is created, with no keys if none are given. Answers
   * with the entry as it then is. All keys or none; a process that dies leaves the entry before or after it. A deleted entry is
   * made anew, without what it held. Every merge counts a version. After a timeout, an unreachable store or an error the write
   * may have happened: `describe` tells.
   */
  merge(
    path: SecretPath,
    expected: SecretVersion,
    values: Readonly<Record<string, string>>,
  ): Promise<Result<PresentEntry, SecretStoreFailure>>

  /** Whether it could be written now, without writing to any entry. */
  ping(): Promise<Result<void, SecretStoreFailure>>
}

/** Counts the writes to an entry, from 1; 0 before the first. A deleted entry goes on counting. */
export type SecretVersion = number

export type SecretEntry =
  PresentEntry | { readonly kind: 'absent'; readonly version: SecretVersion }

export interface PresentEntry {
  readonly kind: 'present'
  readonly version: SecretVersion
  /** Sorted by UTF-16 code units. */
  readonly keys: readonly string[]
}

export type SecretStoreFailure =
  | { readonly kind: 'secret_store_unreachable' }
  | { readonly kind: 'secret_store_timeout' }
  /** It is there and locked, or it has entries that none of our keys opens, changed ones included. */
  | { readonly kind: 'secret_store_sealed' }
  /** Anything else that is not an answer: full, read-only, damaged. `reason` is for the log: codes, never values. */
  | { readonly kind: 'secret_store_error'; readonly reason: string }
  /** Our credentials do not allow it. */
  | { readonly kind: 'secret_store_denied' }
  /** Somebody else wrote in between. */
  | { readonly kind: 'secret_conflict' }
