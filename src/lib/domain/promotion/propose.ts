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
import { hasOnly } from '../gitops/branch-content.ts'
import { branchesOf, type Move, placesOf } from './move.ts'
import { currentTexts, type Texts } from './texts.ts'

/** Races that are lost before a request gives up. */
const ATTEMPTS_MAX = 8
/** So often a branch without a pull request may be another process's that is about to open one; then it is a stranger's. */
const PATIENCE = 4
const PAUSE_MS = 100

export type ProposedFile = Extract<FileChange, { kind: 'write' }>

export interface ProposalRequest {
  readonly repository: RepositoryId
  readonly move: Move
  /** Default branch, and the commit that everything was decided on. */
  readonly base: Head
  /** The files as they shall be, given what the branch has of them now: nothing, when it is new. */
  readonly files: (current: Texts) => readonly ProposedFile[]
  /** Of the files; all in one folder. */
  readonly paths: readonly RepositoryPath[]
  /** Of a file. A larger one on the branch counts as not there. */
  readonly maxBytes: number
  readonly message: string
  readonly title: string
  readonly body: string
  readonly author: Author
}

export interface Proposed {
  readonly pullRequest: PullRequest
  readonly created: boolean
  /** An open pull request whose files were changed. */
  readonly updated: boolean
  readonly branch: BranchName
  readonly commit: ObjectId
  readonly files: readonly ProposedFile[]
}

export type ProposeFailure =
  | GitFailure
  /** Every branch that the move could use has been used. */
  | { readonly kind: 'branches_used_up' }

export type ProposeGitHost = Pick<
  GitHost,
  'head' | 'listFiles' | 'readFiles' | 'commit' | 'findPullRequests' | 'openPullRequest'
>

/**
 * Makes sure that one pull request proposes a move with these files: finds it, updates it or opens it. Of many that do so at
 * once each ends with the same pull request.
 */
export async function propose(
  gitHost: ProposeGitHost,
  request: ProposalRequest,
): Promise<Result<Proposed, ProposeFailure>> {
  const { repository, move, base } = request
  for (let attempt = 1; ; attempt++) {
    const pulls = await gitHost.findPullRequests(repository, { heads: branchesOf(move) })
    if (!pulls.ok) return pulls
    const places = placesOf(pulls.value, move, base.branch)
    const tried = await tryPlaces(gitHost, request, places, attempt >= PATIENCE)
    if (tried.ok || !isLostRace(tried.error) || attempt >= ATTEMPTS_MAX) return tried
    await sleep(PAUSE_MS * attempt)
  }
}

const isLostRace = ({ kind }: ProposeFailure): boolean =>
  kind === 'git_conflict' || kind === 'git_branch_exists'

const isBlockedBelow = (failure: GitFailure, branch: BranchName): boolean =>
  failure.kind === 'git_branch_blocked' && failure.by.startsWith(`${branch}/`)

async function tryPlaces(
  gitHost: ProposeGitHost,
  request: ProposalRequest,
  places: ReturnType<typeof placesOf>,
  isOutOfPatience: boolean,
): Promise<Result<Proposed, ProposeFailure>> {
  for (const { branch, pull } of places) {
    const pushed =
      pull === null
        ? await pushNew(gitHost, request, branch)
        : await pushUpdate(gitHost, request, branch)
    if (!pushed.ok) {
      // Only this name is taken by a branch below it: `a/b/c` leaves room for `a/b.2`.
      if (isBlockedBelow(pushed.error, branch)) continue
      return pushed
    }
    // Somebody else's branch of that name stays as it is.
    if (pushed.value === 'foreign') {
      // An open pull request without its branch is one that the host is about to close.
      if (pull !== null || !isOutOfPatience) return err({ kind: 'git_branch_exists', branch })
      continue
    }
    const { files, changed, commit } = pushed.value
    if (pull !== null) {
      return ok({ pullRequest: pull, created: false, updated: changed, branch, commit, files })
    }
    const { repository, base, title, body, author } = request
    const opened = await gitHost.openPullRequest(repository, {
      head: branch,
      base: base.branch,
      title,
      body,
      author,
    })
    if (!opened.ok) return opened
    const { pullRequest, created } = opened.value
    return ok({ pullRequest, created, updated: false, branch, commit, files })
  }
  return err({ kind: 'branches_used_up' })
}

interface Pushed {
  readonly files: readonly ProposedFile[]
  readonly changed: boolean
  readonly commit: ObjectId
}

/** On a branch that is not there, or that has nothing but these files: then an earlier try of the same got no further. */
async function pushNew(
  gitHost: ProposeGitHost,
  request: ProposalRequest,
  branch: BranchName,
): Promise<Result<Pushed | 'foreign', GitFailure>> {
  const { repository, base, message, author } = request
  const files = request.files(new Map())
  const committed = await gitHost.commit(repository, {
    branch,
    from: { kind: 'create', parent: base.commit },
    changes: files,
    message,
    author,
  })
  if (committed.ok) return ok({ files, changed: true, commit: committed.value.commit })
  if (committed.error.kind !== 'git_branch_exists') return committed
  const head = await gitHost.head(repository, branch)
  if (!head.ok) {
    // It is gone again: a lost race like any other.
    const isGone = head.error.kind === 'git_not_found' && head.error.what === 'branch'
    return isGone ? committed : head
  }
  const same = await hasOnly(
    gitHost,
    repository,
    { base: base.commit, tip: head.value.commit },
    files,
  )
  if (!same.ok) return same
  return same.value ? ok({ files, changed: false, commit: head.value.commit }) : ok('foreign')
}

async function pushUpdate(
  gitHost: ProposeGitHost,
  { repository, files, paths, maxBytes, message, author }: ProposalRequest,
  branch: BranchName,
): Promise<Result<Pushed | 'foreign', GitFailure>> {
  const head = await gitHost.head(repository, branch)
  if (!head.ok) {
    const isGone = head.error.kind === 'git_not_found' && head.error.what === 'branch'
    return isGone ? ok('foreign') : head
  }
  const current = await currentTexts(gitHost, repository, head.value.commit, paths, maxBytes)
  if (!current.ok) return current
  const wanted = files(current.value)
  const changes = wanted.filter(
    ({ path, bytes }) => current.value.get(path) !== new TextDecoder().decode(bytes),
  )
  const unchanged = ok({ files: wanted, changed: false, commit: head.value.commit })
  if (changes.length === 0) return unchanged
  const committed = await gitHost.commit(repository, {
    branch,
    from: { kind: 'advance', expected: head.value.commit },
    changes,
    message,
    author,
  })
  if (committed.ok) return ok({ files: wanted, changed: true, commit: committed.value.commit })
  return committed.error.kind === 'git_nothing_to_commit' ? unchanged : committed
}
