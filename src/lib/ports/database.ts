import type { Result } from '../result.ts'

/**
 * What Portico remembers and git cannot. Losing it loses nobody's work.
 * `tests/contracts/database.ts` is the definition: SQLite and PostgreSQL pass it.
 */
export interface Database {
  readonly sessions: SessionStore
  /** Whether a session could be written now. For readiness: writes and removes a row of a session's size. */
  ping(): Promise<Result<void, DatabaseFailure>>
  /** Waits for running calls, two seconds at most. A call after it is `database_unavailable`. */
  close(): Promise<void>
}

/**
 * Rows keyed by the hash of a session token. The store sees neither tokens nor what is sealed.
 * Times in milliseconds since the Unix epoch. Every call answers within its deadline; a write that
 * answers `database_unavailable` may still have happened.
 */
export interface SessionStore {
  /**
   * Adds a row, then removes the oldest of the same person until at most `keep` (≥ 1) remain; of rows
   * created in the same millisecond the new one stays. One transaction, one at a time per person.
   */
  insert(row: SessionRow, keep: number): Promise<Result<void, DatabaseFailure>>
  find(idHash: string): Promise<Result<SessionRow | null, DatabaseFailure>>
  /** Moves `seenAt` forward, never back. A row that is gone stays gone. */
  touch(idHash: string, seenAt: number): Promise<Result<void, DatabaseFailure>>
  /** Replaces what is sealed if `version` is still the row's; the version then grows by one. Says whether it did. */
  reseal(
    idHash: string,
    version: number,
    sealed: { readonly keyId: string; readonly sealed: Uint8Array },
  ): Promise<Result<boolean, DatabaseFailure>>
  /** Removes rows and says how many. */
  remove(which: SessionSelector): Promise<Result<number, DatabaseFailure>>
}

export type SessionSelector =
  | { readonly kind: 'session'; readonly idHash: string }
  | SessionOwner
  /** Every row that expired at `expiredAt` or before, or was last seen at `seenBefore` or before. */
  | { readonly kind: 'over'; readonly expiredAt: number; readonly seenBefore: number }

/** A person, or one sign-in of a person: `sid` is the identity provider's session id. */
export type SessionOwner =
  | { readonly kind: 'person'; readonly issuer: string; readonly subject: string }
  | { readonly kind: 'sign_in'; readonly issuer: string; readonly sid: string }

export interface SessionRow {
  /** SHA-256 of the token, lower-case hex. */
  readonly idHash: string
  readonly issuer: string
  readonly subject: string
  readonly sid: string | null
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
  readonly version: number
  /** Which key sealed it. */
  readonly keyId: string
  readonly sealed: Uint8Array
}

export type DatabaseFailure =
  /** Locked, full, read-only, unreachable, too slow. `reason` is for the log: codes, never SQL, values or addresses. */
  { readonly kind: 'database_unavailable'; readonly reason: string }
