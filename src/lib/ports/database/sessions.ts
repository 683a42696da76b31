import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/**
 * Rows keyed by the hash of a session token. The store sees neither tokens nor sealed contents.
 * Times in milliseconds since the Unix epoch. Every call answers within its deadline; a write that
 * answers `database_unavailable` may still have happened.
 */
export interface SessionStore {
  /**
   * Adds a row, then removes the oldest of the same person and kind until at most `keep` (≥ 1) remain; of rows
   * created in the same millisecond the new one stays. One transaction, one at a time per person.
   */
  insert(row: SessionRow, keep: number): Promise<Result<void, DatabaseFailure>>
  find(idHash: string): Promise<Result<SessionRow | null, DatabaseFailure>>
  /** Newest first, of both kinds. */
  list(person: SessionPerson): Promise<Result<readonly ListedSession[], DatabaseFailure>>
  /** Times of those rows that exist, by `idHash`. */
  living(
    idHashes: readonly string[],
  ): Promise<Result<ReadonlyMap<string, SessionTimes>, DatabaseFailure>>
  /** Moves `seenAt` forward, never back. Does not recreate a removed row. */
  touch(idHash: string, seenAt: number): Promise<Result<void, DatabaseFailure>>
  /** Replaces the sealed content by compare-and-swap of `version`, which grows by one. Answers `false` at another version. */
  reseal(
    idHash: string,
    version: number,
    sealed: { readonly keyId: string; readonly sealed: Uint8Array },
  ): Promise<Result<boolean, DatabaseFailure>>
  /** The number of grants that last beyond `now` and were seen after `seenAfter`, by the kind of their client. Reads every grant. */
  countGrants(
    now: number,
    seenAfter: number,
  ): Promise<Result<Readonly<Record<GrantClientKind, number>>, DatabaseFailure>>
  /** Removes rows and answers their number. */
  remove(selector: SessionSelector): Promise<Result<number, DatabaseFailure>>
}

export type SessionSelector =
  | { readonly kind: 'session'; readonly idHash: string }
  /** A row of this person. */
  | ({ readonly kind: 'own'; readonly idHash: string } & SessionPerson)
  /** Every row of this person but one. */
  | ({ readonly kind: 'others'; readonly idHash: string } & SessionPerson)
  | SessionOwner
  /** Every row that expired at `expiredAt` or before, or was last seen at the time of its kind or before. */
  | {
      readonly kind: 'over'
      readonly expiredAt: number
      readonly seenBefore: Readonly<Record<SessionKind, number>>
    }

/** `grant`: of a client that acts for the person, in place of a browser. */
export type SessionKind = 'browser' | 'grant'

export type GrantClientKind = 'cli' | 'agent' | 'workload'

export interface SessionPerson {
  readonly issuer: string
  readonly subject: string
}

/**
 * A person, or one sign-in: `sid` is the identity provider's session id. A `subject` restricts the sign-in to that person.
 * `only` leaves sessions of the other kind.
 */
export type SessionOwner =
  | ({ readonly kind: 'person'; readonly only?: SessionKind } & SessionPerson)
  | {
      readonly kind: 'sign_in'
      readonly only?: SessionKind
      readonly issuer: string
      readonly sid: string
      readonly subject: string | null
    }

export interface SessionRow {
  /** SHA-256 of the token, lower-case hex. */
  readonly idHash: string
  readonly kind: SessionKind
  /** Kind of client of a grant, for counts of grants. Its rights are sealed. */
  readonly clientKind?: GrantClientKind
  readonly issuer: string
  readonly subject: string
  readonly sid: string | null
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
  readonly version: number
  /** Id of the sealing key. */
  readonly keyId: string
  readonly sealed: Uint8Array
  /** Client address and user agent at the sign-in. */
  readonly address: string | null
  readonly userAgent: string | null
}

export type ListedSession = Omit<SessionRow, 'version' | 'keyId' | 'sealed' | 'clientKind'>

export type SessionTimes = Pick<SessionRow, 'kind' | 'seenAt' | 'expiresAt'>
