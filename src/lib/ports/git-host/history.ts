import type { BranchName, ObjectId, RepositoryPath } from '../../names.ts'
import type { Commit } from '../git-host.ts'

export interface PathHistory {
  readonly of: ObjectId
  readonly path: RepositoryPath
  /** `nextPage` of the answer before; by default the first page. */
  readonly page?: number
}

export interface PathCommits {
  /** The host decides how many a page has; the last one may be empty. */
  readonly commits: readonly PathCommit[]
  /** `null`: there are no more. */
  readonly nextPage: number | null
}

export interface PathCommit extends Commit {
  /** All of them, also those that did not change the path. */
  readonly parents: readonly ObjectId[]
  /** One line, as the author has written it and nobody has checked it. `null`: the commit has none. */
  readonly authorName: string | null
  /** Milliseconds since the Unix epoch, by the clock of whoever made the commit. `null`: the commit has none. */
  readonly committedAt: number | null
}

export interface MergedCommit {
  readonly commit: ObjectId
  readonly base: BranchName
}
