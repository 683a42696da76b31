import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** Counters by which replicas tell each other of changes. */
export interface Generations {
  advance(name: string): Promise<Result<void, DatabaseFailure>>
  /**
   * Calls `onChange` after other processes advanced the counter, once for several advances in a row, until the returned function is
   * called. Advances that an outage of the database hid are reported after it.
   */
  follow(name: string, onChange: () => void): () => void
}
