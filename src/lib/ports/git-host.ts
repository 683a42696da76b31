import type {
  BranchName,
  ObjectId,
  RepositoryId,
  RepositoryOwner,
  RepositoryPath,
  TeamName,
} from '../names.ts'
import type { ConnectionFinding } from './connection-finding.ts'
import type { Author, Commit, Head, MergedCommit } from './git-host/commit.ts'
import type { GitAnswer, GitResult } from './git-host/failure.ts'
import type {
  NewPullRequest,
  PullRequest,
  PullRequestFacts,
  PullRequestFilter,
} from './git-host/pull-request.ts'
import type { Releases } from './git-host/releases.ts'

export type { Author, Commit, Head } from './git-host/commit.ts'
export type { GitAnswer, GitFailure, GitResult } from './git-host/failure.ts'
export type { NewPullRequest, PullRequest, PullRequestFilter } from './git-host/pull-request.ts'
export type { Release, ReleaseAsset, Releases } from './git-host/releases.ts'

/**
 * A git hosting service. `tests/contracts/git-host.ts` is the definition: every adapter passes it. That of the content,
 * `tests/contracts/git-content.ts`, holds for the one engine with and without a remote, and on real servers.
 *
 * Guarantees of every method:
 * - expected failures are a `GitFailure`; only bugs are thrown;
 * - a call ends within the adapter's deadline;
 * - an answer that is cut off or does not match its object id is a failure, never a shorter answer.
 */
export interface GitHost extends GitContent, HostApi {}

/** Commits, branches and files: everything that git itself has. */
export interface GitContent {
  /** The last commit of a branch, by default of the default branch. Never from a cache. */
  head(repository: RepositoryId, branch?: BranchName): GitAnswer<Head>

  /** Names of the branches that begin with `prefix`, sorted bytewise. */
  listBranches(repository: RepositoryId, prefix: string): GitAnswer<readonly BranchName[]>

  /** Tags whose names can be those of images, with the commits that they stand for, sorted by name, at most the first `TAGS_MAX`. */
  listTags(repository: RepositoryId): GitAnswer<readonly Tag[]>

  /**
   * All files below a directory at a commit, sorted by path in byte order. A directory that does not exist has no
   * files and `tree: null`. Entries that are no regular file with a `RepositoryPath` come as `skipped`. With `filesMax` a larger
   * or damaged directory comes in part, and what is missing is `skipped` as `too_many_files`.
   */
  listFiles(repository: RepositoryId, at: DirectoryAtCommit): GitAnswer<FileListing>

  /** Differences between two commits, related or not, in or below a directory. A renamed file is a removed one and an added one. */
  listChanges(repository: RepositoryId, change: TreeChange): GitAnswer<readonly ChangedPath[]>

  /**
   * Contents of regular files at a commit, in any order, each exactly once. Bytes are as in git, without conversion of
   * line ends, and checked against their object id. `git_file_unreadable` concerns one file, and the others follow; any other
   * failure is the last item, such as `git_not_found` of a missing path. A file of more than `maxBytes` comes without its bytes, and is never held whole.
   */
  readFiles(
    repository: RepositoryId,
    commit: ObjectId,
    files: readonly FileToRead[],
    maxBytes: number,
  ): AsyncIterable<GitResult<FileContent>>

  /**
   * The first line with a text in each of these files at a commit, in the order of a listing. Letters of ASCII match in any case. Binary files have no lines; where lines are very long, fewer files come.
   */
  searchFiles(repository: RepositoryId, search: TextSearch): GitAnswer<readonly FoundLine[]>

  /**
   * Commits of a history, newest first, as `git log <of> ^<without>` has them. With paths those of the branch itself, by first parents:
   * a merge stands for what it brought. Renames are not followed. A path that never existed has none.
   */
  listCommits(repository: RepositoryId, range: CommitRange): GitAnswer<readonly Commit[]>

  /**
   * Merges two commits as git does, without a commit of the merge. `listFiles` reads its tree right afterwards: a host may forget the
   * tree later. Histories without a common commit are `conflicting`.
   */
  merge(repository: RepositoryId, sides: MergeSides): GitAnswer<MergeOutcome>

  /**
   * One commit with all changes, by compare-and-swap: with `advance` and `replace` the branch must stand at `expected`, with
   * `create` it must not exist. `replace` leaves the branch with one commit on `parent`. A lost race is `git_conflict`, an existing branch `git_branch_exists`, a branch whose name rules
   * out this one (`a` and `a/b`) `git_branch_blocked`, changes without effect are `git_nothing_to_commit`.
   */
  commit(repository: RepositoryId, request: CommitRequest): GitAnswer<Head>
}

/** Everything of a host that git does not have: repositories, pull requests, releases, people and their rights. */
export interface HostApi {
  /**
   * A repository with one commit on its default branch. Visible only when complete. A repeated call with the same
   * `marker` answers with the existing repository and `created: false`; any other existing repository is
   * `git_repository_exists`.
   */
  createRepository(repository: RepositoryId, request: NewRepository): GitAnswer<CreatedRepository>

  /** Pull requests between branches of the repository, none from forks. Newest first, at most `limit` (default 100). */
  findPullRequests(
    repository: RepositoryId,
    filter: PullRequestFilter,
  ): GitAnswer<readonly PullRequest[]>

  /**
   * The pull request that brought a commit into `base`, with `mergedBy` as far as the host knows it. The commit is the merge commit, that of
   * a squash, or the last one of a rebase. `null`: it was pushed without one, there is no such commit, or the host has not noticed the
   * merge yet.
   */
  findMergedPullRequest(
    repository: RepositoryId,
    merged: MergedCommit,
  ): GitAnswer<PullRequest | null>

  /**
   * Opens a pull request, or answers with the open one from this head into this base (`created: false`, title and body
   * unchanged). A head without commits of its own is `git_nothing_to_commit`.
   */
  openPullRequest(
    repository: RepositoryId,
    request: NewPullRequest,
  ): GitAnswer<{ readonly pullRequest: PullRequest; readonly created: boolean }>

  /**
   * Facts of open pull requests by number, of the first `DESCRIBED_MAX`: one question for all of them where the host can take it. Never
   * a failure: what the host refuses or fails to say is `null`, and a number may be missing.
   */
  describePullRequests(
    repository: RepositoryId,
    pullRequests: readonly PullRequest[],
  ): Promise<ReadonlyMap<number, PullRequestFacts>>

  /** URL of a page of the host, for browsers. Made without a call: the page may not exist, or need a sign-in of its own. */
  pageUrl(repository: RepositoryId, page: HostPage): string

  /**
   * For `config check --connect`: tries whether our credentials allow what the portal does, and changes nothing that anybody
   * sees. One finding per right; a missing one is named, such as `contents: write on acme/gitops`.
   */
  check(uses: RepositoryUses): Promise<readonly ConnectionFinding[]>

  readonly releases: Releases
}

/** Upper bound of `listTags`. */
export const TAGS_MAX = 1_000

export interface Tag {
  /** A tag of an OCI image. */
  readonly name: string
  readonly commit: ObjectId
}

/** The repositories that the portal uses, by the rights that it needs there. */
export interface RepositoryUses {
  /** Commits, branches and pull requests. */
  readonly gitops: RepositoryId
  /** Owners of new repositories. */
  readonly owners: readonly RepositoryOwner[]
  /** Read only. */
  readonly templates: RepositoryId
  /** Read only; `null` without one. */
  readonly cli: RepositoryId | null
}

/** A commit, or a file or folder as it was at a commit. */
export type HostPage =
  | { readonly kind: 'repository' }
  | { readonly kind: 'commit'; readonly commit: ObjectId }
  | {
      readonly kind: 'file'
      readonly commit: ObjectId
      readonly path: RepositoryPath
      /** From 1; `null`: the file as a whole. */
      readonly line: number | null
    }

export interface DirectoryAtCommit {
  readonly commit: ObjectId
  /** Tree of a `merge` with this commit, in place of that of the commit. */
  readonly tree?: ObjectId
  /** By default the whole repository. */
  readonly directory?: RepositoryPath
  /** By default a directory that is too large is a failure. With 0 the answer is the id of its tree alone. */
  readonly filesMax?: number
}

export interface FileListing {
  /** Id of the directory's tree: equal ids mean equal files. `null`: no such directory. */
  readonly tree: ObjectId | null
  readonly files: readonly ListedFile[]
  /** In any order. */
  readonly skipped: readonly SkippedFile[]
}

export interface TreeChange {
  readonly from: ObjectId
  readonly to: ObjectId
  /** By default the whole repository. */
  readonly directory?: RepositoryPath
}

/** A file, link or submodule that is not the same at both commits. */
export interface ChangedPath {
  /** Unchecked. */
  readonly rawPath: string
  readonly change: 'added' | 'removed' | 'modified'
}

export interface ListedFile {
  readonly path: RepositoryPath
  readonly blob: ObjectId
  readonly executable: boolean
  /** As far as the host says it. */
  readonly sizeBytes?: number
}

export interface SkippedFile {
  /** Unchecked, for messages only. */
  readonly rawPath: string
  readonly reason: 'symbolic_link' | 'submodule' | 'unsafe_path' | 'too_many_files'
}

export interface FileToRead {
  readonly path: RepositoryPath
  /** From a listing; saves the host a lookup. */
  readonly blob?: ObjectId
}

export interface FileContent {
  readonly path: RepositoryPath
  readonly blob: ObjectId
  /** `null`: more than `maxBytes`. */
  readonly bytes: Uint8Array | null
}

export interface TextSearch {
  readonly commit: ObjectId
  /** Files, none of them a directory. */
  readonly paths: readonly RepositoryPath[]
  /** One line, not empty. */
  readonly text: string
}

export interface FoundLine {
  readonly path: RepositoryPath
  /** From 1. */
  readonly line: number
  /** The whole line. Unchecked. */
  readonly text: string
}

export interface CommitRange {
  readonly of: ObjectId
  /** Leaves out the history of this commit. */
  readonly without?: ObjectId
  /** Only commits that changed one of these files, or anything in one of these directories. */
  readonly paths?: readonly RepositoryPath[]
  readonly limit: number
}

export interface MergeSides {
  readonly ours: ObjectId
  readonly theirs: ObjectId
}

export type MergeOutcome =
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  /** Unchecked paths. */
  | { readonly kind: 'conflicting'; readonly paths: readonly string[] }

export interface CommitRequest {
  readonly branch: BranchName
  readonly from:
    | { readonly kind: 'advance'; readonly expected: ObjectId }
    | { readonly kind: 'create'; readonly parent: ObjectId }
    | { readonly kind: 'replace'; readonly expected: ObjectId; readonly parent: ObjectId }
  /** At most one per path. */
  readonly changes: readonly FileChange[]
  /** Subject, empty line, body, trailers. */
  readonly message: string
  readonly author: Author
}

export type WrittenFile = Extract<FileChange, { kind: 'write' }>

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
  /** Owning team, which a host may give a permission. */
  readonly team: TeamName
  /** Idempotency key, such as the id of a run. Kept with the repository, never shown to git clients. */
  readonly marker: string
  readonly files: readonly WrittenFile[]
  readonly message: string
  readonly author: Author
}

export interface CreatedRepository {
  readonly created: boolean
  readonly head: Head
  /** For browsers and for `git clone`. */
  readonly url: string
}
