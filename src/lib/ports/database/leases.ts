import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/**
 * Locks by name, across processes. As with runs a lease has no end of its own, because clocks differ: its holder renews it, and a process
 * that has seen no renewal for long enough by its own measure may take it.
 */
export interface LeaseStore {
  /** Takes a lease that nobody has, or that is still as it was seen. Otherwise answers `held`. */
  take(
    name: string,
    lease: Lease,
    seen: Lease | null,
  ): Promise<Result<LeaseTaking, DatabaseFailure>>
  /** Changes `until`. Does nothing when the lease is lost. */
  renew(name: string, lease: Lease): Promise<Result<void, DatabaseFailure>>
  /** Notes work that others are to finish if the holder dies; `null`: it is done. Answers `false` when the lease is lost. */
  note(name: string, holder: string, work: string | null): Promise<Result<boolean, DatabaseFailure>>
  /** Ends the lease. Unfinished work stays. */
  release(name: string, holder: string): Promise<Result<void, DatabaseFailure>>
  /** Leases with unfinished work, by name. */
  listUnfinished(limit: number): Promise<Result<readonly UnfinishedLease[], DatabaseFailure>>
}

export interface Lease {
  readonly holder: string
  /** A mark that each renewal changes. */
  readonly until: number
}

export type LeaseTaking =
  /** `work`: left by the holder before. */
  | { readonly kind: 'taken'; readonly work: string | null }
  | { readonly kind: 'held'; readonly lease: Lease }

export interface UnfinishedLease {
  readonly name: string
  /** `null`: nobody has it. */
  readonly lease: Lease | null
}
