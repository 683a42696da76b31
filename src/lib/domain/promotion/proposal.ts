import type { BranchName, ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type {
  Author,
  Commit,
  CommitRequest,
  GitFailure,
  GitHost,
  Head,
  PullRequest,
  WrittenFile,
} from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Requester } from '../gitops/requesters.ts'
import { numbersIn } from '../gitops/numbered-branches.ts'
import { reclaim } from '../gitops/reclaim.ts'
import { isOurs, isPullOf, type Move, branchNameOf } from './move.ts'
import { type ProposedMove, withMergeable } from './pulls.ts'
import { currentTexts, type Texts } from './texts.ts'
import { foreignWarnings, type Warning, warningIf } from './warnings.ts'

/** Enough for a count in a warning: our own commits are one per request. */
const OWN_COMMITS_MAX = 100

/** A change of an application, decided and written out. Holds no secret. */
export interface Proposal {
  readonly repository: RepositoryId
  readonly move: Move
  /** The default branch. */
  readonly base: Head
  readonly changes: readonly WrittenFile[]
  /** Of the commit. */
  readonly message: string
  readonly author: Author
  readonly title: string
  readonly body: string
  readonly askedBy: Requester
}

/** The files of a move, at a commit of the default branch. */
export interface MoveFiles extends Pick<Proposal, 'repository' | 'move' | 'base'> {
  /** All in one folder. */
  readonly paths: readonly RepositoryPath[]
  /** A larger file on the branch counts as absent. */
  readonly maxBytes: number
}

/** The branch of a change, and how its next commit is made. */
export interface Target {
  readonly branch: BranchName
  readonly from: CommitRequest['from']
  /** The open pull request from the branch. */
  readonly pull: PullRequest | null
}

/** The branch of a move as the git host has it. */
export interface MoveBranch {
  readonly target: Target
  /** The files as its open pull request has them; empty without one. */
  readonly current: Texts
  /** The commit that its branch began at, unless others have commits there; `null` without a pull request. */
  readonly beginning: ObjectId | null
  readonly warnings: readonly Warning[]
}

/** Reads the branch of a move. `pulls`: the open pull requests of its application. */
export async function readMoveBranch(
  gitHost: GitHost,
  files: MoveFiles,
  pulls: readonly ProposedMove[],
): Promise<Result<MoveBranch, GitFailure>> {
  const { repository, move, base, paths, maxBytes } = files
  const open = pulls.find(({ pull }) => isPullOf(pull, move))?.pull
  const target = await readTarget(gitHost, files, open)
  if (!target.ok) return target
  const { pull, from } = target.value
  if (pull === null || from.kind === 'create') {
    return ok({
      target: target.value,
      current: new Map(),
      beginning: null,
      warnings: [],
    })
  }
  const of = from.expected
  const [mergeable, current, commits] = await Promise.all([
    withMergeable({ gitHost, repository }, pull),
    currentTexts(gitHost, repository, of, paths, maxBytes),
    gitHost.listCommits(repository, { of, without: base.commit, limit: OWN_COMMITS_MAX }),
  ])
  if (!mergeable.ok) return mergeable
  if (!current.ok) return current
  if (!commits.ok) return commits
  const foreign = commits.value.filter(({ message }) => !isOurs(message, move)).length
  const isOwn = foreign === 0 && commits.value.length < OWN_COMMITS_MAX
  return ok({
    target: { ...target.value, pull: mergeable.value },
    current: current.value,
    beginning: isOwn ? beginningOf(of, commits.value) : null,
    warnings: [
      ...warningIf(mergeable.value.mergeable === 'conflicting', 'conflicting'),
      ...foreignWarnings(foreign),
    ],
  })
}

/** Portico's own commits are in a row. */
function beginningOf(of: ObjectId, own: readonly Commit[]): ObjectId | null {
  const first = own.at(-1)
  return first === undefined ? of : (first.parents[0] ?? null)
}

/**
 * Finds the branch of a change: that of its open pull request (`open`, as it was read before), the one that a killed process left without
 * a pull request, or a new one. A branch has one pull request: those that ended or are somebody else's keep theirs.
 */
async function readTarget(
  gitHost: GitHost,
  { repository, base, move }: MoveFiles,
  open: PullRequest | undefined,
): Promise<Result<Target, GitFailure>> {
  if (open !== undefined) return targetOf(gitHost, repository, open)
  const name = branchNameOf(move)
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
    const isOpen =
      newest.state === 'open' && newest.base === base.branch && isOurs(newest.body, move)
    return isOpen ? targetOf(gitHost, repository, newest) : created
  }
  const from = await reclaim(
    gitHost,
    { repository, base, isOurs: (message) => isOurs(message, move) },
    highest,
  )
  if (!from.ok) return from
  return from.value === null ? created : ok({ branch: highest, from: from.value, pull: null })
}

async function targetOf(
  gitHost: GitHost,
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
