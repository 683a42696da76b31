import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/**
 * The person who asked the portal for a pull request. The git host cannot tell: it knows the author as an account of the portal's own, or
 * by a name.
 * Times in milliseconds since the Unix epoch.
 */
export interface RequesterStore {
  /** Keeps the first row of a pull request. */
  note(row: RequesterRow): Promise<Result<void, DatabaseFailure>>
  /** The rows of these pull requests, in any order. */
  find(
    repository: string,
    numbers: readonly number[],
  ): Promise<Result<readonly RequesterRow[], DatabaseFailure>>
  /** Removes rows of pull requests that were opened before, and answers their number. */
  removeBefore(openedAt: number): Promise<Result<number, DatabaseFailure>>
}

export interface RequesterRow {
  /** `acme/gitops`. */
  readonly repository: string
  readonly number: number
  /** As the git host has it: a repository that is made again begins again with number 1. */
  readonly openedAt: number
  readonly subject: string
  /** The name of that time. */
  readonly name: string
}
