import type { RunId } from '../names.ts'
import type { Result } from '../result.ts'

/**
 * What Portico remembers and git cannot. Losing it loses nobody's work.
 * `tests/contracts/database.ts` is the definition: SQLite and PostgreSQL pass it.
 */
export interface Database {
  readonly sessions: SessionStore
  readonly runs: RunStore
  readonly audit: AuditStore
  readonly secretWrites: SecretWriteStore
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

/**
 * The journal of runs: work that outlives its request and its process. What a run is about is text to the store. Times in
 * milliseconds since the Unix epoch. Every call is one transaction, and a write that answers `database_unavailable` may still
 * have happened.
 */
export interface RunStore {
  /**
   * Adds a running run that nobody holds, or answers with the one that it is the same as: see `findSame`. There is one running
   * run per `about`, whoever asks.
   */
  start(run: NewRun, asking: SameRun): Promise<Result<RunStart, DatabaseFailure>>
  /**
   * The newest run of the same person with the same key (whatever it asked for) or else with the same request, running at
   * `since` or later.
   */
  findSame(asking: SameRun): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Gives a run without a key the one that a repetition came with. */
  adoptKey(id: RunId, key: string): Promise<Result<void, DatabaseFailure>>
  find(id: RunId): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Newest first. */
  list(filter: RunFilter): Promise<Result<readonly RunRow[], DatabaseFailure>>
  /** The newest run about this that failed. */
  findFailed(about: string): Promise<Result<RunRow | null, DatabaseFailure>>
  /** What happened in a run after an event, in order. Events count from 1. */
  events(id: RunId, after: number): Promise<Result<readonly RunEventRow[], DatabaseFailure>>

  /** Takes the oldest running run whose hold is over, for `lease.until`, and counts the attempt. */
  claim(lease: RunLease, now: number): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Says whether `lease.holder` still holds the run; if so until `lease.until`. */
  renew(id: RunId, lease: RunLease): Promise<Result<boolean, DatabaseFailure>>
  /** Gives a run back, for anybody to claim. */
  release(id: RunId, holder: string): Promise<Result<void, DatabaseFailure>>
  /** Events and the state after them, together, if the holder still holds the run; says whether it does. */
  append(id: RunId, holder: string, entry: RunEntry): Promise<Result<boolean, DatabaseFailure>>
  /** Makes a failed run a running one that nobody holds; says whether it did. Not while another about the same runs. */
  reopen(id: RunId): Promise<Result<boolean, DatabaseFailure>>
  /** Removes runs that ended at `endedBefore` or before, with their events, and says how many. */
  removeEnded(endedBefore: number): Promise<Result<number, DatabaseFailure>>
}

export type RunStatus = 'running' | 'complete' | 'failed'

export interface RunRow {
  readonly id: RunId
  readonly status: RunStatus
  readonly issuer: string
  readonly subject: string
  readonly team: string
  /** What only one run at a time may be about. */
  readonly about: string
  /** Never changes. */
  readonly request: string
  readonly state: string
  readonly requestHash: string
  readonly idempotencyKey: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
  /** How often it was claimed. */
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
  /** Another running run is about the same. */
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
  /** Now. */
  readonly at: number
}

export interface RunEventRow {
  readonly seq: number
  readonly event: string
  readonly data: string
  readonly at: number
}

/** The audit trail: rows are added and in the end removed, never changed. Times in milliseconds since the Unix epoch. */
export interface AuditStore {
  append(row: AuditRow): Promise<Result<void, DatabaseFailure>>
  /** Newest first: by id, which is made of the time. */
  list(filter: AuditFilter): Promise<Result<readonly AuditRow[], DatabaseFailure>>
  /** Removes rows of before that time, and says how many. */
  removeBefore(at: number): Promise<Result<number, DatabaseFailure>>
}

/** What was decided (`allowed`, `denied`), and what became of an effect. */
export type AuditResult = 'allowed' | 'denied' | 'started' | 'done' | 'failed'

export interface AuditRow {
  /** A UUID, version 7. */
  readonly id: string
  readonly at: number
  /** Who acted, and what they were called then. */
  readonly issuer: string
  readonly subject: string
  readonly name: string
  /** `promotion.propose`. */
  readonly action: string
  /** `component/payments-api`. */
  readonly target: string
  readonly team: string | null
  readonly result: AuditResult
  /** Of a refusal or a failure. */
  readonly code: string | null
  /** The groups that decided, a JSON array. */
  readonly groups: string
  /** The commit that was looked at or made. */
  readonly revision: string | null
  readonly requestId: string
  /** A JSON object. */
  readonly details: string
}

export interface AuditFilter {
  readonly team: string | null
  /** Only rows older than the one of this id, whether or not it is there. */
  readonly before: string | null
  readonly limit: number
}

/** What was last asked to be written to each secret path. The store does not see what is sealed. */
export interface SecretWriteStore {
  /**
   * In place of what was remembered for the path at a lower version; at a higher one nothing changes. A second one for the same
   * version leaves neither: `sealed` is empty from then on.
   */
  remember(write: SecretWriteRow): Promise<Result<void, DatabaseFailure>>
  find(path: string): Promise<Result<SecretWriteRow | null, DatabaseFailure>>
}

export interface SecretWriteRow {
  readonly path: string
  /** The version that the write expected to find at the path. */
  readonly expectedVersion: number
  /** Which key sealed it. */
  readonly keyId: string
  readonly sealed: Uint8Array
  readonly at: number
}

export type DatabaseFailure =
  /** Locked, full, read-only, unreachable, too slow. `reason` is for the log: codes, never SQL, values or addresses. */
  { readonly kind: 'database_unavailable'; readonly reason: string }
