import type { RunId, SecretPath } from '../names.ts'
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
  /**
   * Whether the store decides by its own policy what a person may do: calls for a person then name that person. Otherwise the rights
   * of the service count for everybody.
   */
  readonly knowsPersons: boolean

  /** The current entry at a path. Never from a cache. */
  describe(path: SecretPath, actor: SecretActor): Promise<Result<SecretEntry, SecretStoreFailure>>

  /**
   * Sets keys of an entry and keeps its other keys, by compare-and-swap: the entry must be at version `expected`, or the write is
   * a `secret_conflict`. Creates an absent entry, even without keys, and a deleted entry anew without its former keys. Atomic,
   * also when the process dies. Every merge adds a version, `expected + 1`. After a timeout, an unreachable store or an error the
   * write may have happened: `describe` tells.
   */
  merge(
    path: SecretPath,
    expected: SecretVersion,
    values: Readonly<Record<string, string>>,
    actor: SecretActor,
  ): Promise<Result<void, SecretStoreFailure>>

  /** Notes the origin of a present entry beside it. A store without a place for it does nothing. */
  label(
    path: SecretPath,
    origin: SecretOrigin,
    actor: SecretActor,
  ): Promise<Result<void, SecretStoreFailure>>

  /** Whether the actor may describe, create and label the entry. Refusals are failures. Changes nothing. */
  mayCreate(path: SecretPath, actor: SecretActor): Promise<Result<void, SecretStoreFailure>>

  /**
   * Whether the store opens to the keys or the login of this process: `secret_store_denied` when no key opens an entry, or the login is
   * refused. For readiness. Changes nothing.
   */
  access(): Promise<Result<void, SecretStoreFailure>>

  /** Tries the store for `config check --connect`. Changes nothing in it. */
  check(): Promise<readonly ConnectionFinding[]>

  /** Gives back what the store has lent, such as tokens. Called once, after the last call. */
  close(): Promise<void>
}

/** In whose name a call is made. A person's refusal is final: the call is not repeated in the name of the service. */
export type SecretActor =
  { readonly kind: 'service' } | { readonly kind: 'person'; readonly idToken: string }

export const SERVICE: SecretActor = { kind: 'service' }

/** Counts the writes to an entry, from 1; 0 before the first. A deleted entry goes on counting. */
export type SecretVersion = number

export type SecretEntry =
  PresentEntry | { readonly kind: 'absent'; readonly version: SecretVersion }

export interface PresentEntry {
  readonly kind: 'present'
  readonly version: SecretVersion
  /** Sorted by UTF-16 code units. */
  readonly keys: readonly string[]
  /** `null`: nobody has noted it, or the store has no place for it. */
  readonly origin: SecretOrigin | null
}

/** Who made an entry. Its team, application and environment are those of its path. */
export interface SecretOrigin {
  /** The scaffold run; `null`: a promotion. */
  readonly run: RunId | null
}

export type SecretStoreFailure =
  | { readonly kind: 'secret_store_unreachable' }
  | { readonly kind: 'secret_store_timeout' }
  /** The store is locked, or none of our keys opens an entry: the key is missing, or the entry was tampered with. */
  | { readonly kind: 'secret_store_sealed' }
  /** The store takes no further requests for a while. */
  | { readonly kind: 'secret_store_rate_limited'; readonly retryAfterSeconds: number }
  /** Any other failure: full, read-only, damaged. `reason` is for the log: codes and fixed texts, never values. */
  | { readonly kind: 'secret_store_error'; readonly reason: string }
  /** Our credentials are refused or do not allow it. `what` is for the log, such as `patch on secret/data/payments/shop/dev/env`. */
  | { readonly kind: 'secret_store_denied'; readonly what: string }
  /** The store's policy does not allow it to the person. */
  | { readonly kind: 'secret_store_forbidden'; readonly what: string }
  /** The store does not accept the sign-in of the person. */
  | { readonly kind: 'secret_store_unauthorized'; readonly what: string }
  /** A concurrent writer was first. */
  | { readonly kind: 'secret_conflict' }
