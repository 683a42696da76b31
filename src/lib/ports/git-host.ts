import type { BranchName, ObjectId, RepositoryId, RepositoryPath } from '../names.ts'
import type { Result } from '../result.ts'

/**
 * A git hosting service, in our words. `tests/contracts/git-host.ts` is the definition: every adapter passes it.
 *
 * Guarantees that hold for every method:
 * - what can be expected to go wrong is a `GitFailure`; nothing is thrown but bugs;
 * - a call ends within the adapter's deadline;
 * - an answer that is cut off, or that is not what git says it is, is a failure and never a shorter answer.
 */
export interface GitHost {
  /** Where a branch (by default the repository's default branch) stands now. Never from a cache. */
  head(repository: RepositoryId, branch?: BranchName): Promise<Result<Head, GitFailure>>

  /**
   * All files below a directory at a commit, sorted by path in byte order. A directory that does not exist has no
   * files and `tree: null`. Paths that no `RepositoryPath` can hold come as `skipped`.
   */
  listFiles(
    repository: RepositoryId,
    at: DirectoryAtCommit,
  ): Promise<Result<FileListing, GitFailure>>

  /**
   * Contents of regular files at a commit, in any order, each exactly once. Bytes are as in git: no conversion of line
   * ends, no decoding, and their object id has been checked. The first failure is the last item; a path that is not
   * there is the failure `git_not_found`. The host chooses how to get them: one archive or many single reads. A file of
   * more than `maxBytes` comes without its bytes, and is never held whole.
   */
  readFiles(
    repository: RepositoryId,
    commit: ObjectId,
    files: readonly FileToRead[],
    maxBytes: number,
  ): AsyncIterable<Result<FileContent, GitFailure>>

  /** Commits in the history of `of` that are not in the history of `without`, newest first, at most `limit`. */
  listCommits(
    repository: RepositoryId,
    range: CommitRange,
  ): Promise<Result<readonly Commit[], GitFailure>>

  /**
   * One commit with all changes or none of them, by compare-and-swap: with `advance` the branch must stand at
   * `expected`, with `create` it must not exist. Lost races are `git_conflict`, an existing branch is
   * `git_branch_exists`, one beside which git has no room for it (`a` and `a/b`) is `git_branch_blocked`, changes that
   * change nothing are `git_nothing_to_commit`.
   */
  commit(repository: RepositoryId, request: CommitRequest): Promise<Result<Head, GitFailure>>

  /**
   * A repository with one first commit on its default branch. Visible only when complete. Asking again with the same
   * `marker` answers with the one that exists and `created: false`; any other existing repository is
   * `git_repository_exists`.
   */
  createRepository(
    repository: RepositoryId,
    request: NewRepository,
  ): Promise<Result<CreatedRepository, GitFailure>>

  /** Pull requests, newest first, at most `limit` (default 100). */
  findPullRequests(
    repository: RepositoryId,
    filter: PullRequestFilter,
  ): Promise<Result<readonly PullRequest[], GitFailure>>

  /**
   * Opens a pull request, or answers with the one that is already open from this head into this base (`created: false`,
   * its title and body unchanged). A head without commits of its own is `git_nothing_to_commit`.
   */
  openPullRequest(
    repository: RepositoryId,
    request: NewPullRequest,
  ): Promise<Result<{ readonly pullRequest: PullRequest; readonly created: boolean }, GitFailure>>

  readonly releases: Releases
}

/** Releases and their attachments: a port of its own, since most readers of a git host never need it. */
export interface Releases {
  /** Every release, drafts and pre-releases included, newest publication first. */
  list(repository: RepositoryId): Promise<Result<readonly Release[], GitFailure>>
  /**
   * The bytes of an attachment. Ends with an error when the upstream breaks off. `signal` stops the upstream. A chunk is its
   * reader's alone. Wherever the host sends for the bytes, our credentials stay with the host.
   */
  openAsset(
    repository: RepositoryId,
    asset: ReleaseAsset,
    signal: AbortSignal,
  ): Promise<Result<ReadableStream<Uint8Array>, GitFailure>>
}

export interface Head {
  readonly branch: BranchName
  readonly commit: ObjectId
}

export interface DirectoryAtCommit {
  readonly commit: ObjectId
  /** By default the whole repository. */
  readonly directory?: RepositoryPath
}

export interface FileListing {
  /** Id of the directory's tree: equal ids mean equal files, without looking. `null`: no such directory. */
  readonly tree: ObjectId | null
  readonly files: readonly ListedFile[]
  /** In any order. */
  readonly skipped: readonly SkippedFile[]
}

export interface ListedFile {
  readonly path: RepositoryPath
  readonly blob: ObjectId
  readonly executable: boolean
}

export interface SkippedFile {
  /** As git has it, for a message only. */
  readonly rawPath: string
  readonly reason: 'symbolic_link' | 'submodule' | 'unsafe_path'
}

export interface FileToRead {
  readonly path: RepositoryPath
  /** Saves the host a lookup, when it is known from a listing. */
  readonly blob?: ObjectId
}

export interface FileContent {
  readonly path: RepositoryPath
  readonly blob: ObjectId
  /** `null`: more than was asked for at most. */
  readonly bytes: Uint8Array | null
}

export interface CommitRange {
  readonly of: ObjectId
  readonly without: ObjectId
  readonly limit: number
}

export interface Commit {
  readonly id: ObjectId
  /** Subject, empty line, body, trailers. */
  readonly message: string
}

export interface Author {
  readonly name: string
  readonly email: string
}

export interface CommitRequest {
  readonly branch: BranchName
  readonly from:
    | { readonly kind: 'advance'; readonly expected: ObjectId }
    | { readonly kind: 'create'; readonly parent: ObjectId }
  /** At most one per path. */
  readonly changes: readonly FileChange[]
  /** Subject, empty line, body, trailers. */
  readonly message: string
  readonly author: Author
}

export type FileChange =
  | {
      readonly kind: 'write'
      readonly path: RepositoryPath
      readonly bytes: Uint8Array
      readonly executable?: boolean
    }
  | { readonly kind: 'delete'; readonly path: RepositoryPath }

export interface NewRepository {
  readonly description: string
  /** Whose repository this is, e.g. the id of a run. Kept with the repository, never shown to git clients. */
  readonly marker: string
  readonly files: readonly Extract<FileChange, { kind: 'write' }>[]
  readonly message: string
  readonly author: Author
}

export interface CreatedRepository {
  readonly created: boolean
  readonly head: Head
  /** Where a person looks at it and where git clones it from. */
  readonly url: string
}

export type PullRequestState = 'open' | 'merged' | 'closed'

export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly url: string
  readonly state: PullRequestState
  /** Branch and last commit of what is proposed. The branch may be gone. */
  readonly head: Head
  readonly base: BranchName
  /** `unknown` while the host has not computed it, and for pull requests that are not open. */
  readonly mergeable: 'clean' | 'conflicting' | 'unknown'
  readonly createdBy: string
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  readonly closedAt: number | null
  /** The commit on the base branch that carries the change, when merged. */
  readonly mergeCommit: ObjectId | null
}

export type PullRequestFilter =
  | { readonly number: number }
  | {
      /** From any of these branches. */
      readonly heads?: readonly BranchName[]
      readonly state?: PullRequestState
      readonly limit?: number
    }

export interface NewPullRequest {
  readonly head: BranchName
  readonly base: BranchName
  readonly title: string
  readonly body: string
  readonly author: Author
}

export interface Release {
  readonly tag: string
  readonly name: string
  readonly notes: string
  readonly draft: boolean
  readonly prerelease: boolean
  /** Milliseconds since the Unix epoch; `null` for a draft. */
  readonly publishedAt: number | null
  readonly assets: readonly ReleaseAsset[]
}

export interface ReleaseAsset {
  /** The host's own id, opaque. */
  readonly id: string
  readonly filename: string
  readonly sizeBytes: number
  /** Lower-case hex, when the host knows it. */
  readonly sha256: string | null
}

export type GitFailure =
  | { readonly kind: 'git_host_unreachable' }
  | { readonly kind: 'git_host_timeout' }
  /** The host answered with something that is not an answer. `reason` is for the log. */
  | { readonly kind: 'git_host_error'; readonly reason: string }
  /** Our credentials do not allow it, or a protection rule refuses it. */
  | { readonly kind: 'git_denied'; readonly what: string }
  | { readonly kind: 'git_rate_limited'; readonly retryAfterSeconds: number }
  | {
      readonly kind: 'git_not_found'
      readonly what: 'repository' | 'branch' | 'commit' | 'file' | 'asset'
    }
  | { readonly kind: 'git_conflict'; readonly branch: BranchName }
  | { readonly kind: 'git_branch_exists'; readonly branch: BranchName }
  /** `by` is a branch whose name begins with the other's, or the other way round: as git has it, for a message only. */
  | { readonly kind: 'git_branch_blocked'; readonly branch: BranchName; readonly by: string }
  | { readonly kind: 'git_repository_exists' }
  | { readonly kind: 'git_nothing_to_commit' }
