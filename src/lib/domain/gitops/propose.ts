import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BranchName, ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type {
  Author,
  FileChange,
  GitFailure,
  GitHost,
  Head,
  PullRequest,
} from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { isBranchAbsent } from './blocked-branch.ts'

/** Lost races after which a proposal gives up. */
const ATTEMPTS_MAX = 8
/** From this attempt on, foreign content on a branch without a pull request is not that of a process about to open one. */
const FOREIGN_AT_ATTEMPT = 4
const PAUSE_MS = 100
const PULLS_MAX = 1_000

export type WrittenFile = Extract<FileChange, { kind: 'write' }>

export interface Proposal {
  readonly repository: RepositoryId
  /** Default branch, and the commit on it that a new branch starts from. */
  readonly base: Head
  /** In the order in which they are tried. */
  readonly branches: readonly BranchName[]
  /** Whether a branch can be used again after its pull request ended and the branch was deleted. */
  readonly canReuseBranch: boolean
  /** Whether a pull request with this body carries the marker of this proposal. */
  readonly isOurs: (pullRequest: Pick<PullRequest, 'body'>) => boolean
  /** The proposed files, given their texts on the branch; a new branch has none. */
  readonly files: (current: BranchTexts) => readonly WrittenFile[]
  /** The texts of these files at the head of an open pull request. */
  readonly readCurrent: (head: ObjectId) => Promise<Result<BranchTexts, GitFailure>>
  readonly message: string
  readonly title: string
  readonly body: string
  readonly author: Author
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

export type ProposeFailure =
  | GitFailure
  /** Every branch that the proposal could use is somebody else's or was used before; none is blocked. */
  | { readonly kind: 'branches_used_up' }

type AnyFailure = { readonly kind: string }
type BeforeEffect<Stop> = () => Promise<Result<void, Stop>>

export type ProposeGitHost = Pick<
  GitHost,
  'head' | 'listFiles' | 'commit' | 'findPullRequests' | 'openPullRequest'
>

/**
 * Makes sure that exactly one open pull request proposes these files: finds it by its marker, updates it or opens it.
 * Concurrent calls for the same proposal end with the same pull request. Never changes a branch that has anything else on it,
 * unless our open pull request is on that branch.
 *
 * `beforeEffect` runs before each commit and pull request; its failure stops the proposal.
 */
export async function propose<Stop extends AnyFailure = never>(
  gitHost: ProposeGitHost,
  proposal: Proposal,
  beforeEffect: BeforeEffect<Stop> = async () => ok(undefined),
): Promise<Result<ProposedPullRequest, ProposeFailure | Stop>> {
  const { repository } = proposal
  for (let attempt = 1; ; attempt++) {
    const pulls = await gitHost.findPullRequests(repository, { limit: PULLS_MAX })
    if (!pulls.ok) return pulls
    const isForeignFinal = attempt >= FOREIGN_AT_ATTEMPT
    const tried = await proposeOnce(gitHost, proposal, pulls.value, isForeignFinal, beforeEffect)
    if (tried.ok || !isLostRace(tried.error) || attempt >= ATTEMPTS_MAX) return tried
    await sleep(PAUSE_MS * attempt)
  }
}

const isLostRace = ({ kind }: AnyFailure): boolean =>
  kind === 'git_conflict' || kind === 'git_branch_exists'

async function proposeOnce<Stop extends AnyFailure>(
  gitHost: ProposeGitHost,
  proposal: Proposal,
  pulls: readonly PullRequest[],
  isForeignFinal: boolean,
  beforeEffect: BeforeEffect<Stop>,
): Promise<Result<ProposedPullRequest, ProposeFailure | Stop>> {
  const { repository, base, title, body, author } = proposal
  let blocked: GitFailure | undefined
  for (const { branch, pull } of candidatesOf(proposal, pulls)) {
    const allowed = await beforeEffect()
    if (!allowed.ok) return allowed
    const pushed = await (pull === null ? create : update)(gitHost, proposal, branch)
    if (!pushed.ok) {
      // Git has no room for `a/b` beside `a/b/c`, but has for `a/b.2`.
      if (!isBlockedBelow(pushed.error, branch)) return pushed
      blocked ??= pushed.error
      continue
    }
    if (pushed.value !== 'foreign') {
      if (pull !== null) return ok({ ...pushed.value, pullRequest: pull, created: false, branch })
      const stillAllowed = await beforeEffect()
      if (!stillAllowed.ok) return stillAllowed
      const request = { head: branch, base: base.branch, title, body, author }
      const opened = await gitHost.openPullRequest(repository, request)
      if (!opened.ok) return opened
      if (proposal.isOurs(opened.value.pullRequest)) {
        return ok({ ...pushed.value, ...opened.value, updated: false, branch })
      }
    }
    // An open pull request without its branch is not passed over: the host is about to close it.
    if (pull !== null || !isForeignFinal) return err({ kind: 'git_branch_exists', branch })
  }
  return err(blocked ?? { kind: 'branches_used_up' })
}

interface Candidate {
  readonly branch: BranchName
  /** Our open pull request on the branch. */
  readonly pull: PullRequest | null
}

function candidatesOf(
  { base, branches, canReuseBranch, isOurs }: Proposal,
  pulls: readonly PullRequest[],
): readonly Candidate[] {
  const open = pulls.find(
    (pull) => pull.state === 'open' && pull.base === base.branch && isOurs(pull),
  )
  if (open !== undefined) return [{ branch: open.head.branch, pull: open }]
  const used = new Set<string>(canReuseBranch ? [] : pulls.map(({ head }) => head.branch))
  return branches.flatMap((branch) => (used.has(branch) ? [] : [{ branch, pull: null }]))
}

const isBlockedBelow = (failure: GitFailure, branch: BranchName): boolean =>
  failure.kind === 'git_branch_blocked' && failure.by.startsWith(`${branch}/`)

type PushOutcome = Pick<ProposedPullRequest, 'files' | 'updated' | 'commit'>

/** Creates the branch, or adopts one that an earlier call left with exactly these files. */
async function create(
  gitHost: ProposeGitHost,
  proposal: Proposal,
  branch: BranchName,
): Promise<Result<PushOutcome | 'foreign', GitFailure>> {
  const { repository, base, message, author } = proposal
  const files = proposal.files(new Map())
  const committed = await gitHost.commit(repository, {
    branch,
    from: { kind: 'create', parent: base.commit },
    changes: files,
    message,
    author,
  })
  if (committed.ok) return ok({ files, updated: false, commit: committed.value.commit })
  if (committed.error.kind !== 'git_branch_exists') return committed
  const head = await gitHost.head(repository, branch)
  // Deleted meanwhile: a lost race like any other.
  if (!head.ok) return isBranchAbsent(head.error) ? committed : head
  const { commit } = head.value
  const isSame = await hasOnly(gitHost, repository, { base: base.commit, head: commit }, files)
  if (!isSame.ok) return isSame
  return ok(isSame.value ? { files, updated: false, commit } : 'foreign')
}

async function update(
  gitHost: ProposeGitHost,
  { repository, files: filesFor, readCurrent, message, author }: Proposal,
  branch: BranchName,
): Promise<Result<PushOutcome | 'foreign', GitFailure>> {
  const head = await gitHost.head(repository, branch)
  if (!head.ok) return isBranchAbsent(head.error) ? ok('foreign') : head
  const current = await readCurrent(head.value.commit)
  if (!current.ok) return current
  const files = filesFor(current.value)
  const changes = files.filter(
    ({ path, bytes }) => current.value.get(path) !== new TextDecoder().decode(bytes),
  )
  const unchanged = ok({ files, updated: false, commit: head.value.commit })
  if (changes.length === 0) return unchanged
  const committed = await gitHost.commit(repository, {
    branch,
    from: { kind: 'advance', expected: head.value.commit },
    changes,
    message,
    author,
  })
  if (committed.ok) return ok({ files, updated: true, commit: committed.value.commit })
  return committed.error.kind === 'git_nothing_to_commit' ? unchanged : committed
}

/** Whether a branch adds exactly these files to its base, to the byte. */
async function hasOnly(
  gitHost: Pick<GitHost, 'listFiles'>,
  repository: RepositoryId,
  { base, head }: { readonly base: ObjectId; readonly head: ObjectId },
  files: readonly WrittenFile[],
): Promise<Result<boolean, GitFailure>> {
  const [before, after] = await Promise.all([
    gitHost.listFiles(repository, { commit: base }),
    gitHost.listFiles(repository, { commit: head }),
  ])
  if (!before.ok) return before
  if (!after.ok) return after
  const expected = new Map<string, string>(before.value.files.map(({ path, blob }) => [path, blob]))
  for (const { path, bytes } of files) expected.set(path, blobIdOf(bytes))
  const actual = after.value.files
  return ok(
    actual.length === expected.size &&
      actual.every(({ path, blob }) => expected.get(path) === blob),
  )
}

/** Git's object id of a file's content: SHA-1 of a header and the bytes. */
const blobIdOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
