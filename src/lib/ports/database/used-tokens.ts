import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** Ids of tokens that may be used once. */
export interface UsedTokenStore {
  isUsed(id: string): Promise<Result<boolean, DatabaseFailure>>
  /** Remembers the id until `until` or later. Answers `false` when it was used before; one of concurrent calls wins. */
  use(id: string, until: number): Promise<Result<boolean, DatabaseFailure>>
  /** Forgets ids whose time is over by the clock of every replica, and answers their number. `now`: by this one's. */
  sweep(now: number): Promise<Result<number, DatabaseFailure>>
}
