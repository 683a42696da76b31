import { ok, type Result } from '../../result.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { lookForRoom } from '../gitops/branch-room.ts'
import { branchesOf, isOurs } from './move.ts'
import type { ProposalRequest } from './propose.ts'
import type { StatePullRequest } from './pulls.ts'
import { currentTexts, type Texts } from './texts.ts'
import { conflictWarnings, foreignWarnings, type Warning } from './warnings.ts'

/** Enough to say "many": a branch of ours has as many commits as it was asked for. */
const COMMITS_MAX = 100

/** What there is of a move before it is proposed. */
export interface MoveBranch {
  /** What its open pull request has of the files; nothing without one. */
  readonly current: Texts
  readonly warnings: readonly Warning[]
}

type Wanted = Pick<ProposalRequest, 'repository' | 'move' | 'base' | 'paths' | 'maxBytes'>

/** Reads the open pull request of a move, or sees that there is room for its branch. */
export function readMoveBranch(
  gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles' | 'listCommits'>,
  wanted: Wanted,
  pulls: readonly StatePullRequest[],
): Promise<Result<MoveBranch, GitFailure>> {
  const { act, environment } = wanted.move
  const open = pulls.find(
    ({ pull, move }) =>
      pull.state === 'open' && move.act === act && move.environment === environment,
  )
  return open === undefined ? readNone(gitHost, wanted) : readOpen(gitHost, wanted, open.pull)
}

async function readNone(
  gitHost: Pick<GitHost, 'head'>,
  { repository, move }: Wanted,
): Promise<Result<MoveBranch, GitFailure>> {
  const room = await lookForRoom(gitHost, repository, branchesOf(move)[0])
  return room.ok ? ok({ current: new Map(), warnings: [] }) : room
}

async function readOpen(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles' | 'listCommits'>,
  { repository, move, base, paths, maxBytes }: Wanted,
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
