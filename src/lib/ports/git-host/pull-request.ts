import type { BranchName, ObjectId } from '../../names.ts'
import type { Author, Head } from './commit.ts'

type PullRequestState = 'open' | 'merged' | 'closed'

export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly url: string
  readonly state: PullRequestState
  /** Proposed branch, which may be gone, and its last commit. */
  readonly head: Head
  readonly base: BranchName
  /** `unknown` while the host has not computed it, and for pull requests that are not open. */
  readonly mergeable: 'clean' | 'conflicting' | 'unknown'
  /** Absent where lists of the host do not say it. */
  readonly draft?: boolean
  readonly createdBy: string
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** Milliseconds since the Unix epoch: the time of the merge, or of the closing without one. */
  readonly closedAt: number | null
  /** The commit on the base branch that carries the change, when merged. */
  readonly mergeCommit: ObjectId | null
  /**
   * The name of the person at the host who merged. `null`: not merged, or unknown. GitHub's lists never have it; a pull request
   * that is found by its number or by its commit has.
   */
  readonly mergedBy: string | null
}

export type PullRequestFilter =
  | { readonly number: number }
  | {
      /** The proposed branch. */
      readonly head?: BranchName
      readonly base?: BranchName
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

/** Facts of a host about an open pull request that git does not have. `null`: it does not say, or did not in time. */
export interface PullRequestFacts {
  /** Checks of its last commit. */
  readonly checks: 'passing' | 'failing' | 'pending' | 'none' | null
  /** `required`: the host waits for an approval. `none`: nobody has judged it, and nobody has to. */
  readonly review: 'approved' | 'changes_requested' | 'required' | 'none' | null
  readonly draft: boolean | null
  /** It waits in a merge queue. */
  readonly queued: boolean | null
  /** For hosts whose lists do not say it. */
  readonly mergeable: PullRequest['mergeable']
}

export const UNKNOWN_FACTS: PullRequestFacts = {
  checks: null,
  review: null,
  draft: null,
  queued: null,
  mergeable: 'unknown',
}

/** Pull requests that one question is about. */
export const DESCRIBED_MAX = 50
