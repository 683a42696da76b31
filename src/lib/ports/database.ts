import type { Result } from '../result.ts'

/**
 * What Portico remembers and git cannot. Losing it loses nobody's work.
 * `tests/contracts/database.ts` is the definition: SQLite and PostgreSQL pass it.
 */
export interface Database {
  readonly sessions: SessionStore
  /** Whether a write would succeed now. For readiness; writes and removes one row. */
  ping(): Promise<Result<void, DatabaseFailure>>
  close(): Promise<void>
}

/** Rows keyed by the hash of a session token. The store sees neither tokens nor what is sealed. Times in milliseconds since the Unix epoch. */
export interface SessionStore {
  /** Adds a row, and removes the oldest of the same person until at most `keep` remain. One transaction. */
  insert(row: SessionRow, keep: number): Promise<Result<void, DatabaseFailure>>
  find(idHash: string): Promise<Result<SessionRow | null, DatabaseFailure>>
  /** Moves `seenAt` forward, never back. */
  touch(idHash: string, seenAt: number): Promise<Result<void, DatabaseFailure>>
  /** Replaces what is sealed if `version` is still the row's; the version then grows by one. Says whether it did. */
  reseal(
    idHash: string,
    version: number,
    sealed: { readonly keyId: string; readonly sealed: Uint8Array },
  ): Promise<Result<boolean, DatabaseFailure>>
  /** Removes rows and says how many. `sid` is the identity provider's session id. */
  remove(which: SessionSelector): Promise<Result<number, DatabaseFailure>>
}

export type SessionSelector =
  | { readonly idHash: string }
  | { readonly issuer: string; readonly subject: string }
  | { readonly issuer: string; readonly sid: string }
  | { readonly expiredAt: number; readonly seenBefore: number }

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
  /** Locked, full, read-only, unreachable. `reason` is for the log. */
  { readonly kind: 'database_unavailable'; readonly reason: string }
