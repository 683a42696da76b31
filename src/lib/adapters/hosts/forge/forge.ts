import type { BranchName, ObjectId, RepositoryId } from '../../../names.ts'
import type { Author, GitFailure, GitHost, PullRequest, Release } from '../../../ports/git-host.ts'
import type { PathCommits } from '../../../ports/git-host/commit.ts'
import type { Result } from '../../../result.ts'
import type { Browse } from './browse/index.ts'
import type { ChangedFile } from './changed-file.ts'
import type { PushRule } from './push-rule.ts'

/** The embedded host: the port, and what it offers to people and git clients beyond it. */
export interface LocalGitHost extends GitHost {
  repositories(): Promise<Result<readonly RepositoryId[], GitFailure>>

  branches(repository: RepositoryId): Promise<Result<readonly BranchName[], GitFailure>>

  readonly browse: Browse

  /** Changes of a pull request, open or not, as a unified diff; cut at a line end when it is too long. */
  diff(
    repository: RepositoryId,
    number: number,
  ): Promise<Result<{ readonly text: string; readonly truncated: boolean }, ForgeFailure>>

  changedFiles(
    repository: RepositoryId,
    number: number,
  ): Promise<Result<readonly ChangedFile[], ForgeFailure>>

  /** A page of the commits of a pull request, open or not, newest first. */
  pullRequestCommits(
    repository: RepositoryId,
    number: number,
    page?: number,
  ): Promise<Result<PathCommits, ForgeFailure>>

  /** Moves the base to a merge commit and ends the pull request, in one transaction. */
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

  /** Visible only when complete. A repeated call with the same tag answers with the existing release. */
  publishRelease(
    repository: RepositoryId,
    release: NewRelease,
  ): Promise<Result<{ readonly release: Release; readonly created: boolean }, ForgeFailure>>

  /**
   * The smart HTTP protocol of git, for `/git/{owner}/{name}.git/…`. The caller decides who may read; a push needs a named
   * visitor and is done wholly or, when the rule refuses a ref, not at all. Nobody forces or deletes the default branch. The
   * server must keep idle connections for a minute: git computes before it answers.
   */
  serveGit(request: Request, who: Visitor, rule: PushRule): Promise<Response>
}

export type Visitor = 'anonymous' | Author

export interface NewRelease {
  readonly tag: string
  readonly name: string
  readonly notes: string
  readonly draft?: boolean
  readonly prerelease?: boolean
  /** Target of a new tag; by default the tip of the default branch. */
  readonly commit?: ObjectId
  readonly assets: readonly { readonly filename: string; readonly bytes: Uint8Array }[]
}

export type ForgeFailure =
  | GitFailure
  | { readonly kind: 'forge_pull_request_not_found'; readonly number: number }
  | { readonly kind: 'forge_pull_request_not_open'; readonly state: 'merged' | 'closed' }
  /** The head is not the expected one. */
  | { readonly kind: 'forge_head_moved'; readonly head: ObjectId }
  /** Unchecked paths. */
  | { readonly kind: 'forge_merge_conflict'; readonly rawPaths: readonly string[] }
  | {
      readonly kind: 'forge_bad_release'
      readonly reason: 'tag' | 'filename' | 'duplicate_filename'
    }
