import { AppName, BranchName, EnvironmentName, TeamName } from '../../names.ts'
import type { PullRequest } from '../../ports/git-host.ts'
import type { ApplicationId } from '../gitops/application.ts'
import { isNumbered } from '../gitops/branches.ts'
import { endsWithTrailer, lastTrailer, trailer } from '../gitops/trailer.ts'

export const ACTS = ['promote', 'lifecycle', 'deprecate'] as const

/** A change to an application that a pull request proposes. Its name finds the pull request again. */
export interface Move extends ApplicationId {
  readonly act: (typeof ACTS)[number]
  /** Empty for a deprecation. */
  readonly environment: string
}

/** Name of a move, and of its first branch. */
export const branchNameOf = ({ team, app, act, environment }: Move): BranchName =>
  BranchName.of([act, team, app, environment].filter(Boolean).join('/'))

/** The move to a stage or, without one, the deprecation. */
export const moveTo = (
  { team, app }: ApplicationId,
  stage: { readonly environment: string } | null,
  act: Exclude<Move['act'], 'deprecate'> = 'promote',
): Move =>
  stage === null
    ? { team, app, act: 'deprecate', environment: '' }
    : { team, app, act, environment: stage.environment }

const TRAILER = 'Portico-Move'

/** Last line of every commit message and pull request of a move. */
export const trailerOf = (move: Move): string => trailer(TRAILER, branchNameOf(move))

/** Whether the portal wrote a pull request's body or a commit's message. */
export const isOurs = (text: string, move: Move): boolean =>
  endsWithTrailer(text, TRAILER, branchNameOf(move))

/** The move that the last line of a pull request or commit names, whoever wrote it. */
export function moveIn(text: string): Move | undefined {
  const [actText, teamText, appText, environment = '', ...more] =
    lastTrailer(text, TRAILER)?.split('/') ?? []
  const act = ACTS.find((each) => each === actText)
  const [team, app] = [TeamName.parse(teamText), AppName.parse(appText)]
  if (act === undefined || team === undefined || app === undefined) return undefined
  const isNamed =
    act === 'deprecate' ? environment === '' : EnvironmentName.parse(environment) !== undefined
  if (more.length > 0 || !isNamed) return undefined
  return { team, app, act, environment }
}

interface MoveTexts {
  readonly title: string
  /** First line of the commit message. */
  readonly summary: string
  /** Lines for the reviewer. */
  readonly lines: readonly string[]
}

/** The texts of a move's pull request, and of its commit. */
export const textsOf = (move: Move, { title, summary, lines }: MoveTexts) => ({
  title,
  message: `${summary}\n\n${trailerOf(move)}\n`,
  body: `${[...lines, '', trailerOf(move)].join('\n')}\n`,
})

/** Whether the portal opened a pull request for a move. People may have changed everything else of it. */
export const isPullOf = ({ head, body }: PullRequest, move: Move): boolean =>
  isNumbered(head.branch, branchNameOf(move)) && isOurs(body, move)
