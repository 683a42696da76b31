import type { AppName, BranchName, TeamName } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { branchesOf, type Move, pullsOf } from './move.ts'
import { pipeline } from './pipeline.ts'

export interface StatePullRequest {
  readonly pull: PullRequest
  readonly move: Move
}

interface Owned {
  readonly team: TeamName
  readonly app: AppName
}

/** Every move that an application can be in. */
const movesOf = ({ team, app }: Owned): readonly Move[] => [
  ...pipeline.flatMap(({ environment }): readonly Move[] => [
    { team, app, act: 'promote', environment },
    { team, app, act: 'lifecycle', environment },
  ]),
  { team, app, act: 'deprecate', environment: '' },
]

/** The portal's own pull requests of an application, newest first. */
export async function readPulls(
  gitHost: Pick<GitHost, 'findPullRequests'>,
  repository: Parameters<GitHost['findPullRequests']>[0],
  base: BranchName,
  application: Owned,
): Promise<Result<readonly StatePullRequest[], GitFailure>> {
  const moves = movesOf(application)
  const found = await gitHost.findPullRequests(repository, { heads: moves.flatMap(branchesOf) })
  if (!found.ok) return found
  return ok(
    moves
      .flatMap((move) => pullsOf(found.value, move, base).map((pull) => ({ pull, move })))
      .toSorted((a, b) => b.pull.number - a.pull.number),
  )
}
