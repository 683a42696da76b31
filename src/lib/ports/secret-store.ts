import type { SecretPath } from '../names.ts'
import type { Result } from '../result.ts'
import type { ConnectionFinding } from './connection-finding.ts'

/**
 * Secrets of applications, one entry of keys and values per application and environment, as in a versioned key/value store
 * (Vault KV v2). `tests/contracts/secret-store.ts` is the definition: every adapter passes it.
 *
 * Guarantees that hold for every method:
 * - no value ever leaves the store through this port, in an answer, a failure or a log;
 * - expected failures are a `SecretStoreFailure`; only bugs throw;
 * - a call ends within the adapter's deadline.
 */
export interface SecretStore {
  /** The current entry at a path. Never from a cache. */
  describe(path: SecretPath): Promise<Result<SecretEntry, SecretStoreFailure>>

  /**
   * Sets keys of an entry and keeps its other keys, by compare-and-swap: the entry must be at version `expected`, or the write is
   * a `secret_conflict`. Creates an absent entry, even without keys, and a deleted entry anew without its former keys. Atomic,
   * also when the process dies. Every merge adds a version. Answers with the new entry. After a timeout, an unreachable store or
   * an error the write may have happened: `describe` tells.
   */
  merge(
    path: SecretPath,
    expected: SecretVersion,
    values: Readonly<Record<string, string>>,
  ): Promise<Result<PresentEntry, SecretStoreFailure>>

  /** Probes a write, without writing to any entry. */
  ping(): Promise<Result<void, SecretStoreFailure>>

  /** Tries the store for `config check --connect`. Changes nothing in it. */
  check(): Promise<readonly ConnectionFinding[]>
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
  /** The store is locked, or none of our keys opens an entry: the key is missing, or the entry was tampered with. */
  | { readonly kind: 'secret_store_sealed' }
  /** Any other failure: full, read-only, damaged. `reason` is for the log: codes, never values. */
  | { readonly kind: 'secret_store_error'; readonly reason: string }
  /** Our credentials do not allow it. */
  | { readonly kind: 'secret_store_denied' }
  /** A concurrent writer was first. */
  | { readonly kind: 'secret_conflict' }
