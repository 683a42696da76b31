import { ok, type Result } from '../../result.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { refuseBlockedBranch } from '../gitops/blocked-branch.ts'
import { branchesOf, isOurs } from './move.ts'
import type { ProposalRequest } from './propose.ts'
import type { MovePullRequest } from './pulls.ts'
import { currentTexts, type Texts } from './texts.ts'
import { conflictWarnings, foreignWarnings, type Warning } from './warnings.ts'

/** Enough for a count in a warning: our own commits are one per request. */
const COMMITS_MAX = 100

/** The branch of a move before it is proposed. */
export interface MoveBranch {
  /** The files as its open pull request has them; empty without one. */
  readonly current: Texts
  readonly warnings: readonly Warning[]
}

type BranchQuery = Pick<ProposalRequest, 'repository' | 'move' | 'base' | 'paths' | 'maxBytes'>

/** Reads the open pull request of a move, or checks that git has room for a new branch. */
export function readMoveBranch(
  gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles' | 'listCommits'>,
  query: BranchQuery,
  pulls: readonly MovePullRequest[],
): Promise<Result<MoveBranch, GitFailure>> {
  const { act, environment } = query.move
  const open = pulls.find(
    ({ pull, move }) =>
      pull.state === 'open' && move.act === act && move.environment === environment,
  )
  return open === undefined
    ? readNewBranch(gitHost, query)
    : readPullBranch(gitHost, query, open.pull)
}

async function readNewBranch(
  gitHost: Pick<GitHost, 'head'>,
  { repository, move }: BranchQuery,
): Promise<Result<MoveBranch, GitFailure>> {
  const room = await refuseBlockedBranch(gitHost, repository, branchesOf(move)[0])
  return room.ok ? ok({ current: new Map(), warnings: [] }) : room
}

async function readPullBranch(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles' | 'listCommits'>,
  { repository, move, base, paths, maxBytes }: BranchQuery,
  pull: PullRequest,
): Promise<Result<MoveBranch, GitFailure>> {
  const of = pull.head.commit
  const [current, commits] = await Promise.all([
    currentTexts(gitHost, repository, of, paths, maxBytes),
    gitHost.listCommits(repository, { of, without: base.commit, limit: COMMITS_MAX }),
  ])
  if (!current.ok) return current
  if (!commits.ok) return commits
  const foreign = commits.value.filter(({ message }) => !isOurs(message, move))
  return ok({
    current: current.value,
    warnings: [...conflictWarnings(pull), ...foreignWarnings(foreign.length)],
  })
}
