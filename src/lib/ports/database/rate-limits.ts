import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

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
  /** The limited address or person. */
  readonly subject: string
  readonly endsAt: number
}

export interface EndedCounter extends RateCounter {
  readonly count: number
}
