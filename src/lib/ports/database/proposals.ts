import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** Proposals between their decision and their pull request, so that the branch of a process that died is found again. */
export interface ProposalStore {
  note(row: ProposalRow): Promise<Result<void, DatabaseFailure>>
  /** Does nothing for an unknown id. */
  remove(id: string): Promise<Result<void, DatabaseFailure>>
  /** In the order of their ids. */
  list(limit: number): Promise<Result<readonly ProposalRow[], DatabaseFailure>>
}

export interface ProposalRow {
  readonly id: string
  readonly content: string
}
