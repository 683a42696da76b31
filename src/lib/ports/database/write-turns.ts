import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** Turns of the writers to a git host, of all replicas. Times in milliseconds since the Unix epoch. */
export interface WriteTurnStore {
  /**
   * Puts the turn that `next` makes of the last one in its place; for `null` it stays. One caller at a time, over all processes.
   * Answers what `next` made.
   */
  take(
    host: string,
    next: (last: WriteTurn | null) => WriteTurn | null,
  ): Promise<Result<WriteTurn | null, DatabaseFailure>>
}

export interface WriteTurn {
  /** When the write begins. */
  readonly at: number
  /** The time that writes so far have used up of a limit over a longer time. */
  readonly usedUntil: number
}
