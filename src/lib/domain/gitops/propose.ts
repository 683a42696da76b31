import { setTimeout as sleep } from 'node:timers/promises'
import type { BranchName, ObjectId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost, Head, PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import { isBranchAbsent, listNumbered } from './numbered-branches.ts'
import {
  adoptBranch,
  type BranchContent,
  createBranch,
  type WrittenFile,
} from './proposed-branch.ts'
import { type KnownStanding, readStanding, type Standing, type StandingQuery } from './standing.ts'

/** Lost races after which a proposal gives up. */
const ATTEMPTS_MAX = 9
/** From this attempt on, foreign content on a branch without a pull request is not that of a process about to open one. */
const FOREIGN_AT_ATTEMPT = 5
const PAUSE_MS = 100

export interface Proposal
  extends Omit<BranchContent, 'files'>, Pick<StandingQuery, 'name' | 'isOurs'> {
  /**
   * The proposed files, given their texts on the branch; a new branch has none. `undefined` if these texts cannot be edited: they
   * changed since the request was checked, which is a lost race.
   */
  readonly files: (current: BranchTexts) => readonly WrittenFile[] | undefined
  /** The texts of these files at the head of an open pull request. */
  readonly readCurrent: (head: ObjectId) => Promise<Result<BranchTexts, GitFailure>>
  /** Takes the place of an open pull request's branch, as one commit on the base. */
  readonly rebuilt?: RebuiltBranch
  readonly title: string
  readonly body: string
}

export interface RebuiltBranch {
  /** The commit that the branch stands at. */
  readonly expected: ObjectId
  readonly files: readonly WrittenFile[]
}

type BranchTexts = ReadonlyMap<RepositoryPath, string>

export interface ProposedPullRequest {
  readonly pullRequest: PullRequest
  readonly created: boolean
  /** Whether files of an open pull request were changed. */
  readonly updated: boolean
  readonly branch: BranchName
  readonly commit: ObjectId
  readonly files: readonly WrittenFile[]
}

export type ProposeGitHost = Pick<
  GitHost,
  | 'head'
  | 'listBranches'
  | 'listCommits'
  | 'listFiles'
  | 'commit'
  | 'findPullRequests'
  | 'openPullRequest'
>

/**
 * Makes sure that exactly one open pull request proposes these files: finds it by its marker, updates it or opens it.
 * Concurrent calls for the same proposal end with the same pull request. Never changes a branch that has anything else on it,
 * unless our open pull request is on that branch.
 *
 * The first attempt trusts `known` where it is current. If it is out of date all the same, the attempt is a lost race, and the next one
 * reads afresh. A pull request that ended meanwhile may be on the default branch by now: that is a `git_conflict` of the default branch,
 * to be decided anew.
 */
export async function propose(
  gitHost: ProposeGitHost,
  proposal: Proposal,
  known?: KnownStanding,
): Promise<Result<ProposedPullRequest, GitFailure>> {
  for (let attempt = 1; ; attempt++) {
    const standing =
      attempt === 1 && known?.isCurrent === true
        ? ok(known.standing)
        : await readStanding(gitHost, proposal)
    if (!standing.ok) return standing
    if (known !== undefined && hasEnded(known.standing, standing.value))
      return err({ kind: 'git_conflict', branch: proposal.base.branch })
    const isForeignFinal = attempt >= FOREIGN_AT_ATTEMPT
    const tried = await proposeOnce(gitHost, proposal, standing.value, isForeignFinal)
    if (tried.ok || !isLostRace(tried.error) || attempt >= ATTEMPTS_MAX) return tried
    await sleep(PAUSE_MS * (attempt - 1))
  }
}

/** Whether a pull request of the proposal ended since `known` was read. */
function hasEnded(known: Standing, now: Standing): boolean {
  if (now.kind === 'open') return false
  return known.kind === 'open' || (now.unopened === null && now.next !== known.next)
}

/**
 * Opens the pull request of a branch that an earlier call left with exactly these files, or finds the open one of the proposal. Answers
 * `null`, and changes nothing, where there is neither.
 */
export async function finishProposal(
  gitHost: ProposeGitHost,
  proposal: Omit<Proposal, 'readCurrent'>,
): Promise<
  Result<{ readonly pullRequest: PullRequest; readonly created: boolean } | null, GitFailure>
> {
  const standing = await readStanding(gitHost, proposal)
  if (!standing.ok) return standing
  if (standing.value.kind === 'open') {
    return ok({ pullRequest: standing.value.pull, created: false })
  }
  const { unopened } = standing.value
  if (unopened === null) return ok(null)
  const files = proposal.files(new Map())
  if (files === undefined) return ok(null)
  const content = { ...proposal, files }
  const adopted = await adoptBranch(gitHost, content, unopened)
  if (!adopted.ok) return adopted
  if (adopted.value === null) return ok(null)
  return open(gitHost, proposal, content, unopened, adopted.value)
}

/**
 * The branches that hold exactly these files, and for which no pull request was ever opened: their process died, and another proposal
 * took the next branch.
 */
export async function findLeftBranches(
  gitHost: ProposeGitHost,
  proposal: Omit<Proposal, 'readCurrent'>,
): Promise<Result<readonly Head[], GitFailure>> {
  const { repository, name } = proposal
  const branches = await listNumbered(gitHost, repository, name)
  if (!branches.ok) return branches
  const files = proposal.files(new Map()) ?? []
  const left: Head[] = []
  for (const branch of branches.value) {
    const pulls = await gitHost.findPullRequests(repository, { head: branch, limit: 1 })
    if (!pulls.ok) return pulls
    if (pulls.value.length > 0) continue
    const adopted = await adoptBranch(gitHost, { ...proposal, files }, branch)
    if (!adopted.ok) return adopted
    if (adopted.value !== null) left.push({ branch, commit: adopted.value })
  }
  return ok(left)
}

/** Git has no room for `a/b` beside `a/b/c`, but has for `a/b.2`. */
const isLostRace = (failure: GitFailure): boolean =>
  failure.kind === 'git_conflict' ||
  failure.kind === 'git_branch_exists' ||
  (failure.kind === 'git_branch_blocked' && failure.by.startsWith(`${failure.branch}/`))

async function proposeOnce(
  gitHost: ProposeGitHost,
  proposal: Proposal,
  standing: Standing,
  isForeignFinal: boolean,
): Promise<Result<ProposedPullRequest, GitFailure>> {
  if (standing.kind === 'open') return update(gitHost, proposal, standing.pull)
  const { unopened, next } = standing
  const files = proposal.files(new Map())
  if (files === undefined) return err({ kind: 'git_conflict', branch: next })
  const content = { ...proposal, files }
  if (unopened !== null) {
    const adopted = await adoptBranch(gitHost, content, unopened)
    if (!adopted.ok) return adopted
    if (adopted.value !== null) {
      const opened = await open(gitHost, proposal, content, unopened, adopted.value)
      // Somebody merged the branch, and later took its files away again.
      if (opened.ok || opened.error.kind !== 'git_nothing_to_commit') return opened
    } else if (!isForeignFinal) {
      return err({ kind: 'git_branch_exists', branch: unopened })
    }
  }
  const created = await createBranch(gitHost, content, next)
  return created.ok ? open(gitHost, proposal, content, next, created.value) : created
}

async function open(
  gitHost: ProposeGitHost,
  { repository, base, title, body, author, isOurs }: Omit<Proposal, 'files' | 'readCurrent'>,
  { files }: BranchContent,
  branch: BranchName,
  commit: ObjectId,
): Promise<Result<ProposedPullRequest, GitFailure>> {
  const request = { head: branch, base: base.branch, title, body, author }
  const opened = await gitHost.openPullRequest(repository, request)
  if (!opened.ok) return opened
  // Somebody opened their own from our branch.
  if (!isOurs(opened.value.pullRequest)) return err({ kind: 'git_branch_exists', branch })
  return ok({ ...opened.value, updated: false, branch, commit, files })
}

async function update(
  gitHost: ProposeGitHost,
  { repository, base, files: filesFor, readCurrent, rebuilt, message, author }: Proposal,
  pullRequest: PullRequest,
): Promise<Result<ProposedPullRequest, GitFailure>> {
  const { branch } = pullRequest.head
  const lost = err({ kind: 'git_branch_exists', branch } as const)
  const head = await gitHost.head(repository, branch)
  // An open pull request without its branch is not passed over: the host is about to close it.
  if (!head.ok) return isBranchAbsent(head.error) ? lost : head
  const { commit } = head.value
  // It has been decided for another commit.
  if (rebuilt !== undefined && rebuilt.expected !== commit) {
    return err({ kind: 'git_conflict', branch: base.branch })
  }
  const current = await readCurrent(rebuilt === undefined ? commit : base.commit)
  if (!current.ok) return current
  const files = rebuilt === undefined ? filesFor(current.value) : rebuilt.files
  if (files === undefined) return lost
  const changes = files.filter(
    ({ path, bytes }) => current.value.get(path) !== decodeUtf8Exactly(bytes),
  )
  const unchanged = ok({ pullRequest, created: false, updated: false, branch, commit, files })
  if (changes.length === 0) return unchanged
  const from =
    rebuilt === undefined
      ? ({ kind: 'advance', expected: commit } as const)
      : ({ kind: 'replace', expected: commit, parent: base.commit } as const)
  const committed = await gitHost.commit(repository, { branch, from, changes, message, author })
  if (!committed.ok) {
    return committed.error.kind === 'git_nothing_to_commit' ? unchanged : committed
  }
  // A pull request that was merged or closed in the meantime does not propose this commit.
  const after = await gitHost.findPullRequests(repository, { number: pullRequest.number })
  if (!after.ok) return after
  const [still] = after.value
  if (still?.state !== 'open') return lost
  return ok({
    ...unchanged.value,
    pullRequest: still,
    updated: true,
    commit: committed.value.commit,
  })
}
