import type { BranchName, ObjectId } from '../../names.ts'

export interface Head {
  readonly branch: BranchName
  readonly commit: ObjectId
}

export interface Author {
  readonly name: string
  readonly email: string
}

export interface Commit {
  readonly id: ObjectId
  /** Subject, empty line, body, trailers. */
  readonly message: string
  /** Ids of the parent commits. A merge has several; the first is that of the branch that it was made on. */
  readonly parents: readonly ObjectId[]
  /** One line, as the author has written it and nobody has checked it. `null`: the commit has none. */
  readonly authorName: string | null
  /** Milliseconds since the Unix epoch, by the clock of whoever made the commit. `null`: the commit has none. */
  readonly committedAt: number | null
}

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
