import type { BranchName, ObjectId } from '../../names.ts'
import type { Commit } from '../git-host.ts'

export interface PathCommits {
  /** The host decides how many a page has; the last one may be empty. */
  readonly commits: readonly Commit[]
  /** `null`: there are no more. */
  readonly nextPage: number | null
}

export interface MergedCommit {
  readonly commit: ObjectId
  readonly base: BranchName
}
