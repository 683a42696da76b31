import type { RepositoryPath } from '../../names.ts'
import type { Commit, GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import {
  propose,
  type Proposal,
  type ProposedPullRequest,
  type ProposeGitHost,
} from '../gitops/propose.ts'
import { type KnownStanding, readStanding, type Standing } from '../gitops/standing.ts'
import type { Asker } from '../gitops/askers.ts'
import { isOurs, isPullOf, type Move, nameOf } from './move.ts'
import { type MovePullRequest, withMergeable } from './pulls.ts'
import { currentTexts, type Texts } from './texts.ts'
import { conflictWarnings, foreignWarnings, type Warning } from './warnings.ts'

/** Enough for a count in a warning: our own commits are one per request. */
export const OWN_COMMITS_MAX = 100

export interface ProposalRequest extends Omit<Proposal, 'name' | 'isOurs' | 'readCurrent'> {
  readonly move: Move
  readonly askedBy: Asker
  /** Paths of the files, all in one folder. */
  readonly paths: readonly RepositoryPath[]
  /** A larger file on the branch counts as absent. */
  readonly maxBytes: number
}

/** The part of a proposal that finds its branches and its pull request. */
export type MoveQuery = Pick<ProposalRequest, 'repository' | 'move' | 'base' | 'paths' | 'maxBytes'>

type MoveGitHost = ProposeGitHost & Pick<GitHost, 'readFiles'>

/** The branches and pull requests that the git host has of a move before it is proposed. */
export interface MoveStanding {
  readonly standing: Standing
  /** The files as its open pull request has them; empty without one. */
  readonly current: Texts
  /** Commits of its branch that the default branch has not, newest first, at most `OWN_COMMITS_MAX`. */
  readonly own: readonly Commit[]
  /** Number of those that are not Portico's. */
  readonly foreign: number
  readonly warnings: readonly Warning[]
}

/** Reads the open pull request of a move, or where git has room for a new branch. `pulls`: the open ones of its application. */
export async function readMoveStanding(
  gitHost: MoveGitHost,
  request: MoveQuery,
  pulls: readonly MovePullRequest[],
): Promise<Result<MoveStanding, GitFailure>> {
  const listed = pulls.map(({ pull }) => pull)
  const { repository, base, move } = request
  const query = { repository, base, name: nameOf(move), isOurs: isOursOf(move) }
  const standing = await readStanding(gitHost, query, listed)
  if (!standing.ok) return standing
  return standing.value.kind === 'open'
    ? readOpen(gitHost, request, standing.value.pull)
    : ok({ standing: standing.value, current: new Map(), own: [], foreign: 0, warnings: [] })
}

const isOursOf =
  (move: Move) =>
  (pull: PullRequest): boolean =>
    isPullOf(pull, move)

const proposalOf = (
  gitHost: MoveGitHost,
  { move, paths, maxBytes, ...request }: ProposalRequest,
): Proposal => ({
  ...request,
  name: nameOf(move),
  isOurs: isOursOf(move),
  readCurrent: (head) => currentTexts(gitHost, request.repository, head, paths, maxBytes),
})

async function readOpen(
  gitHost: MoveGitHost,
  { repository, move, base, paths, maxBytes }: MoveQuery,
  listed: PullRequest,
): Promise<Result<MoveStanding, GitFailure>> {
  const of = listed.head.commit
  const [pull, current, commits] = await Promise.all([
    withMergeable({ gitHost, repository }, listed),
    currentTexts(gitHost, repository, of, paths, maxBytes),
    gitHost.listCommits(repository, { of, without: base.commit, limit: OWN_COMMITS_MAX }),
  ])
  if (!pull.ok) return pull
  if (!current.ok) return current
  if (!commits.ok) return commits
  const foreign = commits.value.filter(({ message }) => !isOurs(message, move)).length
  return ok({
    standing: { kind: 'open', pull: pull.value },
    current: current.value,
    own: commits.value,
    foreign,
    warnings: [...conflictWarnings(pull.value), ...foreignWarnings(foreign)],
  })
}

export const proposeMove = (
  gitHost: MoveGitHost,
  request: ProposalRequest,
  known?: KnownStanding,
): Promise<Result<ProposedPullRequest, GitFailure>> =>
  propose(gitHost, proposalOf(gitHost, request), known)
