import type { RunId } from '../../names.ts'
import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'
import type { RunKind, RunLease, RunRow, RunStatus } from './runs.ts'

/**
 * Says which process works on a run: only its holder writes its journal. A lease has no end of its own, because clocks differ and are
 * set. Its holder renews it, and a process that has seen no renewal for long enough by its own measure may claim the run.
 */
export interface RunLeases {
  /**
   * Running runs of a kind, at most 1,000. Those of whom the person has the fewest before them come first: leased ones, then free ones, then
   * paused ones, each from the oldest. Of equal ones the free come first, then the oldest.
   */
  look(kind: RunKind): Promise<Result<readonly SeenRun[], DatabaseFailure>>
  /** Leases a run that nobody has claimed, renewed, released or paused since it was seen, and counts the attempt. Otherwise `null`. */
  claim(seen: SeenRun, lease: RunLease): Promise<Result<RunRow | null, DatabaseFailure>>
  /** Changes `until`. Answers whether the holder still had the lease. */
  renew(id: RunId, lease: RunLease): Promise<Result<boolean, DatabaseFailure>>
  /** Ends the lease and does not count its claim; any process may claim the run at once. */
  release(id: RunId, holder: string): Promise<Result<void, DatabaseFailure>>
  /**
   * Ends the leases of processes that cannot live any more, of runs of a kind. With SQLite, whose file is for one process, these are all leases; with
   * PostgreSQL none.
   */
  releaseDead(kind: RunKind): Promise<Result<void, DatabaseFailure>>
  /**
   * Writes events and the state after them in one transaction, once: an entry whose state the run has already is not written again.
   * Answers `false`, without a write, when the lease is lost.
   */
  append(id: RunId, holder: string, entry: RunEntry): Promise<Result<boolean, DatabaseFailure>>
  /** Ends the pause of a run, which can then be claimed at once. Does nothing to any other run. */
  endPause(id: RunId): Promise<Result<void, DatabaseFailure>>
}

/** A lease, a pause (no `holder`) or neither (no `holder`, `until` is 0). */
export interface SeenRun {
  readonly id: RunId
  /** Who asked for it. */
  readonly person: string
  readonly holder: string | null
  readonly until: number
  /** When the pause began. */
  readonly pausedAt: number | null
}

export interface RunEntry {
  readonly events: readonly { readonly event: string; readonly data: string }[]
  /** Different from the state of every other entry. */
  readonly state: string
  readonly status: RunStatus
  /** Time of the write. */
  readonly at: number
  /** Claims that count from now on; missing: as before. */
  readonly attempts?: number
  /** Ends the lease too. */
  readonly pausedUntil?: number
}
