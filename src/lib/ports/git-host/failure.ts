import type { BranchName, RepositoryPath } from '../../names.ts'
import type { Result } from '../../result.ts'

/** An answer of a git host, or why there is none. */
export type GitResult<Value> = Result<Value, GitFailure>

export type GitAnswer<Value> = Promise<GitResult<Value>>

export type GitFailure =
  /** `reason` is for operators: the origin of the host, and why no usable answer came from there. */
  | { readonly kind: 'git_host_unreachable'; readonly reason?: string }
  | { readonly kind: 'git_host_timeout' }
  /** An unexpected answer of the host. `reason` is for the log. */
  | { readonly kind: 'git_host_error'; readonly reason: string }
  /**
   * Our credentials do not allow it, or a protection rule refuses it. `what` is a short phrase for operators and the log, without
   * secrets: `contents: write on acme/gitops`, `branch main is protected`, `acme/gitops is archived`.
   */
  | { readonly kind: 'git_denied'; readonly what: string }
  /** Whole seconds until the next call can succeed, which may be hours. */
  | { readonly kind: 'git_rate_limited'; readonly retryAfterSeconds: number }
  | {
      readonly kind: 'git_not_found'
      readonly what: 'repository' | 'branch' | 'commit' | 'file' | 'asset'
    }
  /** The repository has the file, and its content is missing or damaged. */
  | { readonly kind: 'git_file_unreadable'; readonly path: RepositoryPath }
  | { readonly kind: 'git_conflict'; readonly branch: BranchName }
  | { readonly kind: 'git_branch_exists'; readonly branch: BranchName }
  /** `by`: the existing branch. One of the two names is a path prefix of the other. Unchecked, for messages only. */
  | { readonly kind: 'git_branch_blocked'; readonly branch: BranchName; readonly by: string }
  | { readonly kind: 'git_repository_exists' }
  | { readonly kind: 'git_nothing_to_commit' }
