import type { BranchName, ObjectId, RepositoryId } from '../../../names.ts'
import type { Author, GitFailure, GitHost, PullRequest, Release } from '../../../ports/git-host.ts'
import type { Result } from '../../../result.ts'

/** What a hosting service does for people and git clients, beyond what Portico asks of any. */
export interface LocalGitHost extends GitHost {
  repositories(): Promise<Result<readonly RepositoryId[], GitFailure>>

  branches(repository: RepositoryId): Promise<Result<readonly BranchName[], GitFailure>>

  /** What the pull request would change, or changed, as a unified diff; cut at a line when it is too long. */
  diff(
    repository: RepositoryId,
    number: number,
  ): Promise<Result<{ readonly text: string; readonly truncated: boolean }, ForgeFailure>>

  changedFiles(
    repository: RepositoryId,
    number: number,
  ): Promise<Result<readonly ChangedFile[], ForgeFailure>>

  /** A merge commit on the base and the end of the pull request: both or neither. */
  mergePullRequest(
    repository: RepositoryId,
    number: number,
    request: { readonly by: Author; readonly expectedHead?: ObjectId },
  ): Promise<Result<PullRequest, ForgeFailure>>

  closePullRequest(
    repository: RepositoryId,
    number: number,
    by: Author,
  ): Promise<Result<PullRequest, ForgeFailure>>

  /** Visible with all its assets or not at all. The same tag again answers with the release that is there. */
  publishRelease(
    repository: RepositoryId,
    release: NewRelease,
  ): Promise<Result<{ readonly release: Release; readonly created: boolean }, ForgeFailure>>

  /**
   * The smart HTTP protocol of git, for `/git/{owner}/{name}.git/…`. Who may read is the caller's decision; pushing
   * needs somebody. A server that calls this must not cut quiet connections within a minute: git thinks long.
   */
  serveGit(request: Request, who: Visitor): Promise<Response>
}

export type Visitor = 'anonymous' | Author

export interface ChangedFile {
  /** As git has it: a pushed file may have a name that is no `RepositoryPath`. */
  readonly rawPath: string
  readonly change: 'added' | 'modified' | 'deleted'
  /** Lines; `null` for a binary file. */
  readonly additions: number | null
  readonly deletions: number | null
}

export interface NewRelease {
  readonly tag: string
  readonly name: string
  readonly notes: string
  readonly draft?: boolean
  readonly prerelease?: boolean
  /** Where the tag goes, when there is none yet; by default the default branch. */
  readonly commit?: ObjectId
  readonly assets: readonly { readonly filename: string; readonly bytes: Uint8Array }[]
}

export type ForgeFailure =
  | GitFailure
  | { readonly kind: 'forge_pull_request_not_found'; readonly number: number }
  | { readonly kind: 'forge_pull_request_not_open'; readonly state: 'merged' | 'closed' }
  /** What was looked at is not what would be merged. */
  | { readonly kind: 'forge_head_moved'; readonly head: ObjectId }
  /** Paths as git has them. */
  | { readonly kind: 'forge_merge_conflict'; readonly rawPaths: readonly string[] }
  | {
      readonly kind: 'forge_bad_release'
      readonly reason: 'tag' | 'filename' | 'duplicate_filename'
    }
