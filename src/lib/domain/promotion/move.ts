import { type AppName, BranchName, type TeamName } from '../../names.ts'
import type { PullRequest } from '../../ports/git-host.ts'
import { endsWithTrailer, trailer } from '../gitops/trailer.ts'

/** How often one move can be proposed anew after its pull request was closed, or merged and undone. */
const TRIES_MAX = 30

/** One change to one application that a pull request proposes. Asked for again, it is found by its name. */
export interface Move {
  readonly team: TeamName
  readonly app: AppName
  readonly act: 'promote' | 'lifecycle' | 'deprecate'
  /** Environment; empty for a deprecation, which concerns all. */
  readonly environment: string
}

const nameOf = ({ team, app, act, environment }: Move): string =>
  [act, team, app, environment].filter(Boolean).join('/')

/** The branches of a move, in the order in which they are used: an ended pull request uses one up. */
export const branchesOf = (move: Move): readonly [BranchName, ...BranchName[]] => [
  BranchName.of(nameOf(move)),
  ...Array.from({ length: TRIES_MAX - 1 }, (_, index) =>
    BranchName.of(`${nameOf(move)}.${index + 2}`),
  ),
]

const TRAILER = 'Portico-Move'

/** Last line of what we write about a move. */
export const trailerOf = (move: Move): string => trailer(TRAILER, nameOf(move))

/** Whether the body of a pull request, or the message of a commit, is the portal's own. */
export const isOurs = (text: string, move: Move): boolean =>
  endsWithTrailer(text, TRAILER, nameOf(move))

export const commitMessage = (move: Move, subject: string): string =>
  `${subject}\n\n${trailerOf(move)}\n`

/** The pull requests of a move among others, newest first. */
export const pullsOf = (
  pulls: readonly PullRequest[],
  move: Move,
  base: BranchName,
): readonly PullRequest[] => {
  const branches = new Set<string>(branchesOf(move))
  return pulls.filter(
    (pull) => pull.base === base && branches.has(pull.head.branch) && isOurs(pull.body, move),
  )
}
