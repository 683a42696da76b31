import type { BranchName, ObjectId, RepositoryPath } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type {
  CommitRequest,
  GitFailure,
  Head,
  MergeOutcome,
  PullRequest,
  WrittenFile,
} from '../../ports/git-host.ts'
import { allOk, err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import { numbersIn, reclaim } from '../gitops/branches.ts'
import { authorOf } from '../gitops/requesters.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { MoveFailure } from './failure.ts'
import type { MoveRun } from './move-runs.ts'
import { branchNameOf, isOurs, isPullOf, type Move, type ProposedMove } from './move.ts'
import { currentTexts, type Texts } from './texts.ts'
import { foreignWarnings, type Warning, warningIf } from './warnings.ts'

/** Enough for a count in a warning: our own commits are one per request. */
const OWN_COMMITS_MAX = 100

/** The files of a move, at a commit of the default branch. */
export interface MoveFiles {
  readonly move: Move
  /** The default branch. */
  readonly base: Head
  /** All in one folder. */
  readonly paths: readonly RepositoryPath[]
  /** A larger file on the branch counts as absent. */
  readonly maxBytes: number
}

/** Branch and parent of the next commit of a change. */
interface CommitTarget {
  readonly branch: BranchName
  /** The commit that it follows, on a new branch or on one that there is. */
  readonly from: CommitRequest['from']
  /** The open pull request from the branch. */
  readonly pull: PullRequest | null
}

/** A change of an application, decided and written out. Holds no secret. */
export interface Proposal extends CommitTarget, Pick<MoveFiles, 'move' | 'base'> {
  /** The files of the pull request, as a merge into the default branch as it is now would leave them. */
  readonly files: readonly WrittenFile[]
  /** Those of them that the next commit changes. */
  readonly changes: readonly WrittenFile[]
  /** Message of the commit. */
  readonly message: string
  readonly title: string
  readonly body: string
  readonly askedBy: Principal
}

/** The branch of a move as the git host has it. */
export interface MoveBranch extends CommitTarget {
  /** The files as its open pull request has them; empty without one. */
  readonly current: Texts
  /** `null` without a pull request. */
  readonly open: OpenBranch | null
  readonly warnings: readonly Warning[]
}

/** The branch of an open pull request. */
export interface OpenBranch {
  readonly head: ObjectId
  /** The commit that it began at; `null` where others have commits. */
  readonly beginning: ObjectId | null
  /** Into the default branch as it is now; `null` where the host's listing says whether it conflicts. */
  readonly merge: MergeOutcome | null
}

/** Reads the branch of a move. `pulls`: the open pull requests of its application. */
export async function readMoveBranch(
  deps: PromotionDeps,
  files: MoveFiles,
  pulls: readonly ProposedMove[],
): Promise<Result<MoveBranch, GitFailure>> {
  const { gitHost, repository } = deps
  const { move, base, paths, maxBytes } = files
  const found = await findCommitTarget(deps, files, pulls)
  if (!found.ok) return found
  const target = found.value
  const { pull, from } = target
  if (pull === null || from.kind === 'create') {
    return ok({ ...target, current: new Map(), open: null, warnings: [] })
  }
  const head = from.expected
  const read = await allOk([
    pull.mergeable === 'unknown'
      ? gitHost.merge(repository, { ours: base.commit, theirs: head })
      : ok(null),
    currentTexts(deps, { commit: head }, paths, maxBytes),
    gitHost.listCommits(repository, { of: head, without: base.commit, limit: OWN_COMMITS_MAX }),
  ])
  if (!read.ok) return read
  const [merge, current, commits] = read.value
  const foreign = commits.filter(({ message }) => !isOurs(message, move)).length
  const isOwn = foreign === 0 && commits.length < OWN_COMMITS_MAX
  // Portico's own commits are in a row.
  const first = commits.at(-1)
  const before = first === undefined ? head : (first.parents[0] ?? null)
  return ok({
    ...target,
    current,
    open: { head, beginning: isOwn ? before : null, merge },
    warnings: [
      ...warningIf((merge?.kind ?? pull.mergeable) === 'conflicting', 'conflicting'),
      ...foreignWarnings(foreign),
    ],
  })
}

/**
 * Finds the branch of a change: that of its open pull request, the one that a killed process left without a pull request, or a new one.
 * A branch has one pull request: those that ended or are somebody else's keep theirs.
 */
async function findCommitTarget(
  { gitHost, repository }: PromotionDeps,
  { base, move }: MoveFiles,
  pulls: readonly ProposedMove[],
): Promise<Result<CommitTarget, GitFailure>> {
  const name = branchNameOf(move)
  const onBranchOf = async (pull: PullRequest) => {
    const { branch } = pull.head
    // The host may show the pull request as it was before the last push.
    const head = await gitHost.head(repository, branch)
    if (!head.ok && !isBranchAbsent(head.error)) return head
    const expected = head.ok ? head.value.commit : pull.head.commit
    return ok({ branch, from: { kind: 'advance', expected } as const, pull })
  }
  const known = pulls.find(({ pull }) => isPullOf(pull, move))
  if (known !== undefined) return onBranchOf(known.pull)
  const branches = await gitHost.listBranches(repository, name)
  if (!branches.ok) return branches
  const { highest, next } = numbersIn(branches.value, name)
  const created = ok({
    branch: next,
    from: { kind: 'create', parent: base.commit } as const,
    pull: null,
  })
  if (highest === null) return created
  const found = await gitHost.findPullRequests(repository, { head: highest, limit: 1 })
  if (!found.ok) return found
  const [newest] = found.value
  if (newest !== undefined) {
    // Opened since the open ones were listed.
    const isOpen =
      newest.state === 'open' && newest.base === base.branch && isOurs(newest.body, move)
    return isOpen ? onBranchOf(newest) : created
  }
  const isOfMove = (message: string) => isOurs(message, move)
  const from = await reclaim(gitHost, repository, highest, base, isOfMove)
  if (!from.ok) return from
  return from.value === null ? created : ok({ branch: highest, from: from.value, pull: null })
}

export interface ProposedPullRequest {
  readonly pullRequest: PullRequest
  readonly created: boolean
  /** Whether an open pull request got a commit. */
  readonly updated: boolean
  readonly branch: BranchName
  readonly commit: ObjectId
}

/** Commits to the branch of a move, opens its pull request, and remembers who asked for it. */
export async function proposeMove(
  deps: PromotionDeps,
  proposal: Proposal,
  run: MoveRun,
  secretVersion: number | null = null,
): Promise<Result<ProposedPullRequest, MoveFailure>> {
  const accepted = await run.accept({ branch: openedBranch(proposal), secretVersion })
  if (!accepted.ok) return accepted
  const proposed = await propose(deps, proposal)
  if (!proposed.ok) return proposed
  const { pullRequest, created } = proposed.value
  const isOpener = created || run.mayHaveOpened !== null
  const noted = await noteOpened(deps, pullRequest, isOpener ? proposal.askedBy : null)
  return noted.ok ? proposed : noted
}

/** Commits to the branch by compare-and-swap, and opens its pull request. A lost race is a failure, see `isLostRace`. */
async function propose(
  { gitHost, repository }: PromotionDeps,
  proposal: Proposal,
): Promise<Result<ProposedPullRequest, GitFailure>> {
  const { branch, from, pull, move, base, changes, title, body, message, askedBy } = proposal
  const author = authorOf(askedBy)
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
    if (!isOurs(opened.value.pullRequest.body, move)) return lost
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

/** Clocks of git hosts differ from ours, and some of them have no milliseconds. */
const SKEW_MS = 10_000

/** The branch of the pull request that a commit opens; `null` where one is open. */
export const openedBranch = ({ branch, pull }: CommitTarget): BranchName | null =>
  pull === null ? branch : null

/** The pull request that an attempt before this one has opened and that was merged or closed since. `null`: there is none. */
export async function findEnded(
  { gitHost, repository }: PromotionDeps,
  move: Move,
  { mayHaveOpened }: Pick<MoveRun, 'mayHaveOpened'>,
): Promise<Result<PullRequest | null, GitFailure>> {
  if (mayHaveOpened === null) return ok(null)
  const { head, since } = mayHaveOpened
  const found = await gitHost.findPullRequests(repository, { head, limit: 1 })
  if (!found.ok) return found
  const [newest] = found.value
  // An earlier pull request may have had a branch of the same name, which was deleted.
  const isEnded =
    newest !== undefined &&
    newest.state !== 'open' &&
    newest.createdAt >= since - SKEW_MS &&
    isPullOf(newest, move)
  return ok(isEnded ? newest : null)
}

/** Notes the requester of a pull request that was opened, and tells all replicas of one that was opened or updated. */
export async function noteOpened(
  { requesters, pulls }: PromotionDeps,
  pullRequest: PullRequest,
  askedBy: Principal | null,
): Promise<Result<void, DatabaseFailure>> {
  await pulls.invalidate()
  return askedBy === null ? ok(undefined) : requesters.note(pullRequest, askedBy)
}

/** People and other systems changed something first: another try reads everything afresh. */
export const isLostRace = (failure: MoveFailure): boolean =>
  failure.kind === 'git_conflict' ||
  failure.kind === 'git_branch_exists' ||
  failure.kind === 'secret_conflict' ||
  isBranchAbsent(failure) ||
  // Git has no room for `a/b` beside `a/b/c`, but has for `a/b.2`.
  (failure.kind === 'git_branch_blocked' && failure.by.startsWith(`${failure.branch}/`))

const isBranchAbsent = (failure: MoveFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'branch'
