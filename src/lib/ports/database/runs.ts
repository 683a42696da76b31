import type { RunId } from '../../names.ts'
import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/**
 * The journal of runs: work that outlives its request and its process. Times in milliseconds since the Unix epoch. Every call is
 * one transaction, and a write that answers `database_unavailable` may still have happened.
 */
export interface RunStore {
  /**
   * Adds a running run without a holder, or with one, or answers with the run that it repeats, see `findSame`. At most one run of a kind per `about` is
   * running, and with `lastEnd` none of a project may have ended since that was read.
   */
  start(
    run: NewRun,
    same: SameRun,
    more?: { readonly lastEnd?: number | null; readonly lease?: RunLease },
  ): Promise<Result<RunStart, DatabaseFailure>>
  /** The latest end of a project's run with this `about`; `null`: none has ended. */
  lastEnd(about: string): Promise<Result<number | null, DatabaseFailure>>
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
  /** The newest failed run of a project with this `about`. */
  findFailed(about: string): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Events of a run after a sequence number, in order. They count from 1. */
  events(id: RunId, after: number): Promise<Result<readonly RunEventRow[], DatabaseFailure>>
  /** Removes a running run for its holder: nothing has come of it. */
  discard(id: RunId, holder: string): Promise<Result<void, DatabaseFailure>>
  /** Makes a failed run running again, without a holder. Answers `false` while another run with its `about` is running. */
  reopen(id: RunId): Promise<Result<boolean, DatabaseFailure>>
  /** Removes runs that ended at `endedBefore` or before, with their events, and answers their number. */
  removeEnded(endedBefore: number): Promise<Result<number, DatabaseFailure>>
}

/** The start of a project, or the move of an application between environments. */
export type RunKind = 'project' | 'move'

export type RunStatus = 'running' | 'complete' | 'failed'

export interface RunRow {
  readonly id: RunId
  readonly kind: RunKind
  readonly status: RunStatus
  readonly issuer: string
  readonly subject: string
  readonly team: string
  /** Key of the lock among running runs of a kind. */
  readonly about: string
  /** Never changes. */
  readonly request: string
  readonly state: string
  readonly requestHash: string
  readonly idempotencyKey: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
  /** Claims since the last progress that ended neither in a pause nor in a release. */
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
  /** Another run with the same `about` is running, or has ended since `lastEnd`. */
  | { readonly kind: 'taken' }

export interface RunFilter {
  readonly kind: RunKind
  readonly person: { readonly issuer: string; readonly subject: string } | null
  readonly team: string | null
  /** Only runs that are older than this one. */
  readonly before: RunId | null
  readonly limit: number
}

export interface RunEventRow {
  readonly seq: number
  readonly event: string
  readonly data: string
  readonly at: number
}

export interface RunLease {
  readonly holder: string
  /** By the holder's wall clock. Versions that compare it with their own clocks wait until then; to all others it is a mark that changes. */
  readonly until: number
}
