import type { BranchName, ObjectId, RepositoryId } from '../../names.ts'
import type {
  Author,
  CommitRequest,
  FileChange,
  GitFailure,
  GitHost,
  Head,
  PullRequest,
} from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { numbersIn } from './numbered-branches.ts'

export type WrittenFile = Extract<FileChange, { kind: 'write' }>

/** The branch of a change, and how its next commit is made. */
export interface Target {
  readonly branch: BranchName
  readonly from: CommitRequest['from']
  /** The open pull request from the branch. */
  readonly pull: PullRequest | null
}

interface TargetQuery {
  readonly repository: RepositoryId
  /** The default branch. */
  readonly base: Head
  /** Name of the branches, see `numbered-branches.ts`. */
  readonly name: BranchName
  /** Whether Portico wrote this body of a pull request or message of a commit for the change. */
  readonly isOurs: (text: string) => boolean
}

type TargetGitHost = Pick<GitHost, 'head' | 'listBranches' | 'listCommits' | 'findPullRequests'>

/**
 * Finds the branch of a change: that of its open pull request (`open`, as it was read before), the one that a killed process left without
 * a pull request, or a new one. A branch has one pull request: those that ended or are somebody else's keep theirs.
 */
export async function readTarget(
  gitHost: TargetGitHost,
  query: TargetQuery,
  open: PullRequest | undefined,
): Promise<Result<Target, GitFailure>> {
  const { repository, base, name, isOurs } = query
  if (open !== undefined) return targetOf(gitHost, repository, open)
  const branches = await gitHost.listBranches(repository, name)
  if (!branches.ok) return branches
  const { highest, next } = numbersIn(branches.value, name)
  const created = ok({
    branch: next,
    from: { kind: 'create', parent: base.commit } as const,
    pull: null,
  })
  if (highest === null) return created
  const pulls = await gitHost.findPullRequests(repository, { head: highest, limit: 1 })
  if (!pulls.ok) return pulls
  const [newest] = pulls.value
  if (newest !== undefined) {
    // Opened since the open ones were listed.
    const isOpen = newest.state === 'open' && newest.base === base.branch && isOurs(newest.body)
    return isOpen ? targetOf(gitHost, repository, newest) : created
  }
  const from = await reclaim(gitHost, query, highest)
  if (!from.ok) return from
  return from.value === null ? created : ok({ branch: highest, from: from.value, pull: null })
}

async function targetOf(
  gitHost: Pick<GitHost, 'head'>,
  repository: RepositoryId,
  pull: PullRequest,
): Promise<Result<Target, GitFailure>> {
  const { branch } = pull.head
  // The host may show the pull request as it was before the last push.
  const head = await gitHost.head(repository, branch)
  if (!head.ok && !isBranchAbsent(head.error)) return head
  const expected = head.ok ? head.value.commit : pull.head.commit
  return ok({ branch, from: { kind: 'advance', expected }, pull })
}

/**
 * Takes over a branch without a pull request whose only commit is Portico's, which a killed process left. Its commit is replaced, not
 * trusted: anybody can copy a trailer. `null`: the branch is somebody else's.
 */
export async function reclaim(
  gitHost: Pick<GitHost, 'head' | 'listCommits'>,
  { repository, base, isOurs }: Omit<TargetQuery, 'name'>,
  branch: BranchName,
): Promise<Result<CommitRequest['from'] | null, GitFailure>> {
  const head = await gitHost.head(repository, branch)
  if (!head.ok) return head
  const expected = head.value.commit
  const range = { of: expected, without: base.commit, limit: 2 }
  const commits = await gitHost.listCommits(repository, range)
  if (!commits.ok) return commits
  const [own, ...others] = commits.value
  const isSingle = own?.parents.length === 1 && others.length === 0
  return ok(
    isSingle && isOurs(own.message) ? { kind: 'replace', expected, parent: base.commit } : null,
  )
}

export interface NewChange {
  readonly repository: RepositoryId
  readonly base: Head
  readonly changes: readonly WrittenFile[]
  /** Of the commit. */
  readonly message: string
  readonly author: Author
  readonly title: string
  readonly body: string
}

export interface ProposedPullRequest {
  readonly pullRequest: PullRequest
  readonly created: boolean
  /** Whether an open pull request got a commit. */
  readonly updated: boolean
  readonly branch: BranchName
  readonly commit: ObjectId
}

/** Commits to the branch by compare-and-swap, and opens its pull request. A lost race is a failure, see `isLostRace`. */
export async function propose(
  gitHost: Pick<GitHost, 'head' | 'commit' | 'findPullRequests' | 'openPullRequest'>,
  { repository, base, changes, title, body, message, author }: NewChange,
  { branch, from, pull }: Target,
  isOurs: TargetQuery['isOurs'],
): Promise<Result<ProposedPullRequest, GitFailure>> {
  const lost = err({ kind: 'git_branch_exists', branch } as const)
  if (pull !== null && from.kind === 'advance' && changes.length === 0) {
    const commit = from.expected
    return ok({ pullRequest: pull, created: false, updated: false, branch, commit })
  }
  const committed = await gitHost.commit(repository, { branch, from, changes, message, author })
  if (!committed.ok) return committed
  const { commit } = committed.value
  if (pull === null) {
    const request = { head: branch, base: base.branch, title, body, author }
    const opened = await gitHost.openPullRequest(repository, request)
    if (!opened.ok) return opened
    // Somebody opened their own from our branch.
    if (!isOurs(opened.value.pullRequest.body)) return lost
    if (!opened.value.created) {
      // Another holder of a lost lock opened it, maybe for a commit in the place of this one.
      const head = await gitHost.head(repository, branch)
      if (!head.ok) return head
      if (head.value.commit !== commit) return lost
    }
    return ok({ ...opened.value, updated: false, branch, commit })
  }
  // A pull request that was merged or closed in the meantime does not propose this commit.
  const after = await gitHost.findPullRequests(repository, { number: pull.number })
  if (!after.ok) return after
  const [still] = after.value
  if (still?.state !== 'open') return lost
  return ok({ pullRequest: still, created: false, updated: true, branch, commit })
}

interface Failing {
  readonly kind: string
  readonly what?: string
  readonly branch?: string
  readonly by?: string
}

/** People and other systems changed something first: another try reads everything afresh. */
export const isLostRace = (failure: Failing): boolean =>
  failure.kind === 'git_conflict' ||
  failure.kind === 'git_branch_exists' ||
  failure.kind === 'secret_conflict' ||
  isBranchAbsent(failure) ||
  // Git has no room for `a/b` beside `a/b/c`, but has for `a/b.2`.
  (failure.kind === 'git_branch_blocked' && failure.by?.startsWith(`${failure.branch}/`) === true)

const isBranchAbsent = ({ kind, what }: Failing): boolean =>
  kind === 'git_not_found' && what === 'branch'
