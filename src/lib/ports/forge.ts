import type { ObjectId, RepositoryId } from '../names.ts'
import type { Result } from '../result.ts'
import type { Browse } from './forge/browse.ts'
import type { Author, GitAnswer, GitFailure, GitHost, PullRequest } from './git-host.ts'

export type { Browse, Changes, Folder, FolderItem, Tip, Tips } from './forge/browse.ts'
export type { ChangedFile } from './forge/changed-file.ts'

/** The embedded git host, beyond the port: what it offers to people and to git clients. */
export interface Forge extends Pick<
  GitHost,
  | 'head'
  | 'listBranches'
  | 'readFiles'
  | 'createRepository'
  | 'findPullRequests'
  | 'openPullRequest'
> {
  readonly policy: MergePolicy

  repositories(): GitAnswer<readonly RepositoryId[]>

  readonly browse: Browse

  /** A pull request with its approvals. */
  review(repository: RepositoryId, number: number): ForgeAnswer<Review>

  /** Adds an approval of the expected head. Repeated by the same person, it changes nothing. */
  approvePullRequest(
    repository: RepositoryId,
    number: number,
    request: { readonly by: Approver; readonly expectedHead: ObjectId },
  ): ForgeAnswer<PullRequest>

  /**
   * Moves the base to a merge commit and ends the pull request, in one transaction. It has the approvals that the policy requires at that
   * moment. With `rawPaths` it changes no others: more than the changed files of a pull request, when git follows a rename on the base, or
   * merges have gone in both directions.
   */
  mergePullRequest(
    repository: RepositoryId,
    number: number,
    request: {
      readonly by: Author
      readonly expectedHead?: ObjectId
      readonly rawPaths?: readonly string[] | undefined
    },
  ): ForgeAnswer<PullRequest>

  closePullRequest(repository: RepositoryId, number: number, by: Author): ForgeAnswer<PullRequest>

  /**
   * The smart HTTP protocol of git, for `/git/{owner}/{name}.git/…`. The caller decides who may read; a push needs a named
   * visitor and is done wholly or, when the rule refuses a ref, not at all. Nobody forces or deletes the default branch. The
   * server must keep idle connections for a minute: git computes before it answers.
   * @param ended called once, before the answer ends and also when the client has left, with the refs that the push has moved
   */
  serveGit(
    request: Request,
    who: Visitor,
    rule: PushRule,
    ended?: (moved: readonly string[]) => Promise<void>,
  ): Promise<Response>
}

/** Whether a git host is the embedded one. */
export const isForge = <Host extends GitHost>(host: Host): host is Host & Forge =>
  'serveGit' in host

/** Who merges into default branches, beside the platform team. */
export interface MergePolicy {
  /** In the repositories of a team: nobody else, its managers, or all of its members. */
  readonly role: 'platform' | 'manager' | 'member'
  /** In the gitops repository, where a pull request changes folders of one team alone: nobody else, or its managers. */
  readonly gitopsRole: 'platform' | 'manager'
  /** Approvals of its last commit that a pull request needs to be merged. */
  readonly approvals: number
}

export interface Review {
  readonly pullRequest: PullRequest
  /** Its commits are those of `head` that `base` does not have, also when it has ended. */
  readonly range: { readonly base: ObjectId; readonly head: ObjectId }
  /** E-mail addresses of whoever opened it, and of the authors and committers of its newest thousand commits. */
  readonly authors: readonly string[]
  /** Approvals of the last commit. A push takes earlier ones away. */
  readonly approvals: readonly Approver[]
}

export interface Approver {
  readonly issuer: string
  readonly subject: string
  readonly name: string
}

export type Visitor = 'anonymous' | Author

export interface PushedRef {
  /** The team that the repository was made for; `null` when that is not known. */
  readonly team: string | null
  /** Unchecked, of a branch or a tag. */
  readonly ref: string
  readonly change: 'create' | 'update' | 'delete'
  readonly isDefaultBranch: boolean
  /** The person who created it, or Portico; `null` for a new one and when its log is lost. */
  readonly creator: Author | null
}

/** Why a visitor may not push this, for a person; `null`: it is allowed. */
export type PushRule = (pushed: PushedRef) => string | null

export type ForgeAnswer<Value> = Promise<Result<Value, ForgeFailure>>

export type ForgeFailure =
  | GitFailure
  | { readonly kind: 'forge_pull_request_not_found'; readonly number: number }
  | { readonly kind: 'forge_pull_request_not_open'; readonly state: 'merged' | 'closed' }
  /** The head is not the expected one. */
  | { readonly kind: 'forge_head_moved'; readonly head: ObjectId }
  /** Unchecked paths. */
  | { readonly kind: 'forge_merge_conflict'; readonly rawPaths: readonly string[] }
  | {
      readonly kind: 'forge_approvals_missing'
      readonly approvals: number
      readonly required: number
    }
