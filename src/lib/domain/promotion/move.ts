import { type AppName, BranchName, type TeamName } from '../../names.ts'
import type { PullRequest } from '../../ports/git-host.ts'
import { endsWithTrailer, trailer } from '../gitops/trailer.ts'

/** Pull requests of one move, each on its own branch. */
const TRIES_MAX = 30

/** A change to an application that a pull request proposes. Its name finds the pull request again. */
export interface Move {
  readonly team: TeamName
  readonly app: AppName
  readonly act: 'promote' | 'lifecycle' | 'deprecate'
  /** Empty for a deprecation. */
  readonly environment: string
}

const nameOf = ({ team, app, act, environment }: Move): string =>
  [act, team, app, environment].filter(Boolean).join('/')

/** The branches of a move in the order of their use. An ended pull request uses up its branch. */
export const branchesOf = (move: Move): readonly [BranchName, ...BranchName[]] => [
  BranchName.of(nameOf(move)),
  ...Array.from({ length: TRIES_MAX - 1 }, (_, index) =>
    BranchName.of(`${nameOf(move)}.${index + 2}`),
  ),
]

const TRAILER = 'Portico-Move'

/** Last line of every commit message and pull request of a move. */
export const trailerOf = (move: Move): string => trailer(TRAILER, nameOf(move))

/** Whether the portal wrote a pull request's body or a commit's message. */
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
