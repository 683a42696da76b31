import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** Tokens and codes of grants, by their hash. They go with the row of their grant. Times in milliseconds since the Unix epoch. */
export interface GrantTokenStore {
  find(hash: string): Promise<Result<GrantTokenRow | null, DatabaseFailure>>
  /**
   * Adds tokens of a grant; with `used`, in the place of that one, which counts as use of the grant at this time. All or nothing: answers
   * `false`, and adds nothing, when the grant or the used token is not there. One of concurrent uses wins.
   */
  issue(
    grantId: string,
    tokens: readonly Omit<GrantTokenRow, 'grantId'>[],
    used?: { readonly hash: string; readonly at: number },
  ): Promise<Result<boolean, DatabaseFailure>>
  /** Removes tokens that expired at `now` or before, and answers their number. */
  sweep(now: number): Promise<Result<number, DatabaseFailure>>
}

export interface GrantTokenRow {
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string
  /** `idHash` of the grant's row. */
  readonly grantId: string
  readonly kind: 'access' | 'refresh' | 'code'
  readonly expiresAt: number
}
