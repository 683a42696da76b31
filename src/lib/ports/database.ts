import type { RunId } from '../names.ts'
import type { Result } from '../result.ts'

/**
 * State that git cannot hold: sessions, runs, audit. Losing it loses nobody's work.
 * `tests/contracts/database.ts` is the definition: SQLite and PostgreSQL pass it.
 */
export interface Database {
  readonly sessions: SessionStore
  readonly runs: RunStore
  readonly audit: AuditStore
  readonly secretWrites: SecretWriteStore
  readonly usedTokens: UsedTokenStore
  readonly generations: Generations
  readonly rateLimits: RateLimitStore
  /** For readiness: writes and removes a row of a session's size. */
  ping(): Promise<Result<void, DatabaseFailure>>
  /** Waits for running calls, two seconds at most. Later calls are `database_unavailable`. */
  close(): Promise<void>
}

/**
 * Rows keyed by the hash of a session token. The store sees neither tokens nor sealed contents.
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
  /** Newest first. */
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
  /** Every row that expired at `expiredAt` or before, or was last seen at `seenBefore` or before. */
  | { readonly kind: 'over'; readonly expiredAt: number; readonly seenBefore: number }

export interface SessionPerson {
  readonly issuer: string
  readonly subject: string
}

/**
 * A person, or one sign-in: `sid` is the identity provider's session id. A `subject` restricts the sign-in to that person.
 */
export type SessionOwner =
  | ({ readonly kind: 'person' } & SessionPerson)
  | {
      readonly kind: 'sign_in'
      readonly issuer: string
      readonly sid: string
      readonly subject: string | null
    }

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
  /** Id of the sealing key. */
  readonly keyId: string
  readonly sealed: Uint8Array
  /** Client address and user agent at the sign-in. */
  readonly address: string | null
  readonly userAgent: string | null
}

export type ListedSession = Omit<SessionRow, 'version' | 'keyId' | 'sealed'>

export type SessionTimes = Pick<SessionRow, 'seenAt' | 'expiresAt'>

/**
 * The journal of runs: work that outlives its request and its process. Times in milliseconds since the Unix epoch. Every call is
 * one transaction, and a write that answers `database_unavailable` may still have happened.
 */
export interface RunStore {
  /**
   * Adds a running run without a holder, or answers with the run that it repeats, see `findSame`. At most one run per `about` is
   * running.
   */
  start(run: NewRun, same: SameRun): Promise<Result<RunStart, DatabaseFailure>>
  /**
   * The newest run of the same person with the same idempotency key, whatever its request, else with the same request and running
   * at `since` or later.
   */
  findSame(same: SameRun): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Gives a run without an idempotency key the key of a repetition. */
  adoptKey(id: RunId, key: string): Promise<Result<void, DatabaseFailure>>
  find(id: RunId): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Newest first. */
  list(filter: RunFilter): Promise<Result<readonly RunRow[], DatabaseFailure>>
  /** The newest failed run with this `about`. */
  findFailed(about: string): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Events of a run after a sequence number, in order. They count from 1. */
  events(id: RunId, after: number): Promise<Result<readonly RunEventRow[], DatabaseFailure>>

  /** Leases the oldest running run without a valid lease until `lease.until`, and counts the attempt. */
  claim(lease: RunLease, now: number): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Extends the lease until `lease.until`. Answers whether `lease.holder` still had it. */
  renew(id: RunId, lease: RunLease): Promise<Result<boolean, DatabaseFailure>>
  /** Ends the lease; any process may claim the run. */
  release(id: RunId, holder: string): Promise<Result<void, DatabaseFailure>>
  /** Writes events and the state after them in one transaction. Answers `false`, without a write, when the lease is lost. */
  append(id: RunId, holder: string, entry: RunEntry): Promise<Result<boolean, DatabaseFailure>>
  /** Makes a failed run running again, without a holder. Answers `false` while another run with its `about` is running. */
  reopen(id: RunId): Promise<Result<boolean, DatabaseFailure>>
  /** Ends the pause of a run, which can then be claimed at once. Does nothing to any other run. */
  endPause(id: RunId): Promise<Result<void, DatabaseFailure>>
  /** Removes runs that ended at `endedBefore` or before, with their events, and answers their number. */
  removeEnded(endedBefore: number): Promise<Result<number, DatabaseFailure>>
}

export type RunStatus = 'running' | 'complete' | 'failed'

export interface RunRow {
  readonly id: RunId
  readonly status: RunStatus
  readonly issuer: string
  readonly subject: string
  readonly team: string
  /** Key of the lock among running runs. */
  readonly about: string
  /** Never changes. */
  readonly request: string
  readonly state: string
  readonly requestHash: string
  readonly idempotencyKey: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
  /** Number of claims that did not end in a pause. */
  readonly attempts: number
}

export type NewRun = Omit<RunRow, 'status' | 'finishedAt' | 'attempts'>

export interface SameRun {
  readonly issuer: string
  readonly subject: string
  readonly requestHash: string
  readonly since: number
  readonly idempotency: { readonly key: string; readonly since: number } | null
}

export type RunStart =
  | { readonly kind: 'started' }
  | { readonly kind: 'same'; readonly run: RunRow }
  /** Another run with the same `about` is running. */
  | { readonly kind: 'taken' }

export interface RunFilter {
  readonly person: { readonly issuer: string; readonly subject: string } | null
  readonly team: string | null
  readonly limit: number
}

export interface RunLease {
  readonly holder: string
  readonly until: number
}

export interface RunEntry {
  readonly events: readonly { readonly event: string; readonly data: string }[]
  readonly state: string
  readonly status: RunStatus
  /** Time of the write. */
  readonly at: number
  /** Ends the lease too. The run can be claimed from this time on, and its last claim is not counted. */
  readonly pausedUntil?: number
}

export interface RunEventRow {
  readonly seq: number
  readonly event: string
  readonly data: string
  readonly at: number
}

/** The audit trail: rows are added and later removed, never changed. Times in milliseconds since the Unix epoch. */
export interface AuditStore {
  append(row: AuditRow): Promise<Result<void, DatabaseFailure>>
  /** Newest first, by id, which begins with the time. */
  list(filter: AuditFilter): Promise<Result<readonly AuditRow[], DatabaseFailure>>
  /** Removes older rows and answers their number. */
  removeBefore(at: number): Promise<Result<number, DatabaseFailure>>
}

/** A decision (`allowed`, `denied`), or the state of an effect. */
export type AuditResult = 'allowed' | 'denied' | 'started' | 'done' | 'failed'

export interface AuditRow {
  /** A UUID, version 7. */
  readonly id: string
  readonly at: number
  /** The actor, with their name at that time. */
  readonly issuer: string
  readonly subject: string
  readonly name: string
  /** `promotion.propose`. */
  readonly action: string
  /** `component/payments-api`. */
  readonly target: string
  readonly team: string | null
  readonly result: AuditResult
  /** Code of the refusal or failure. */
  readonly code: string | null
  /** The groups that decided, a JSON array. */
  readonly groups: string
  /** The commit that was read or made. */
  readonly revision: string | null
  readonly requestId: string
  /** A JSON object. */
  readonly details: string
  /** Client address of the actor. */
  readonly address: string | null
}

export interface AuditFilter {
  readonly team: string | null
  /** Only rows with smaller ids. */
  readonly before: string | null
  readonly limit: number
}

/** The last announced write to each secret path. The store does not see sealed contents. */
export interface SecretWriteStore {
  find(path: string): Promise<Result<SecretWriteRow | null, DatabaseFailure>>
  /**
   * Puts `row` in place of `before` (`null`: no row), which is known by its version and its sealed bytes. Answers `false`, and changes
   * nothing, when the path has another row; one of concurrent calls wins.
   */
  replace(
    before: SecretWriteRow | null,
    row: SecretWriteRow,
  ): Promise<Result<boolean, DatabaseFailure>>
}

export interface SecretWriteRow {
  readonly path: string
  /** The version that the write expected at the path. */
  readonly expectedVersion: number
  /** Id of the sealing key. */
  readonly keyId: string
  readonly sealed: Uint8Array
  readonly at: number
  /** Whether the write is known to have happened. */
  readonly isWritten: boolean
}

/** Ids of tokens that may be used once. */
export interface UsedTokenStore {
  isUsed(id: string): Promise<Result<boolean, DatabaseFailure>>
  /** Remembers the id until `until` or later. Answers `false` when it was used before; one of concurrent calls wins. */
  use(id: string, until: number): Promise<Result<boolean, DatabaseFailure>>
  /** Forgets ids whose time ended at `now` or before, and answers their number. */
  sweep(now: number): Promise<Result<number, DatabaseFailure>>
}

/** Counters by which replicas tell each other of changes. */
export interface Generations {
  advance(name: string): Promise<Result<void, DatabaseFailure>>
  /**
   * Calls `onChange` after other processes advanced the counter, once for several advances in a row, until the returned function is
   * called. Advances that an outage of the database hid are reported after it.
   */
  follow(name: string, onChange: () => void): () => void
}

/** Counters of limited calls, shared by all replicas. Times in milliseconds since the Unix epoch. */
export interface RateLimitStore {
  /** Adds to a counter, which begins at 0, and answers its new value. Concurrent calls answer different values. */
  add(counter: RateCounter, count: number): Promise<Result<number, DatabaseFailure>>
  /** Removes the counters that ended at `endedBefore` or before, and answers them. One of concurrent calls answers a counter. */
  removeEnded(endedBefore: number): Promise<Result<readonly EndedCounter[], DatabaseFailure>>
}

export interface RateCounter {
  /** Name of the limit. */
  readonly name: string
  /** Who is limited: an address, a person. */
  readonly subject: string
  readonly endsAt: number
}

export interface EndedCounter extends RateCounter {
  readonly count: number
}

export type DatabaseFailure =
  /** Locked, full, read-only, unreachable, too slow. `reason` is for the log: codes, never SQL, values or addresses. */
  { readonly kind: 'database_unavailable'; readonly reason: string }
