import type { BranchName } from '../../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import type { Principal } from '../../access/principal.ts'
import type { CatalogEntity } from '../../catalog/snapshot.ts'
import { type ApplicationId, appPath } from '../../gitops/application.ts'
import { creatorOf, type Person, type Requester } from '../../gitops/requesters.ts'
import { lastLineOf } from '../../gitops/trailer.ts'
import { authoriseMove, MOVE_KINDS, requiredFor } from '../decide.ts'
import type { PromotionDeps } from '../dependencies.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import { type ProposedMove, proposedMoveOf } from '../move.ts'
import { type AppRow, type Rows, teamCheck, type TeamFilter } from './rows.ts'

/** The moves of an installation, those that no one asks for by a promotion among them. */
export const WAITING_KINDS = ['scaffold', ...MOVE_KINDS, 'lifecycle'] as const

export const WAITS_FOR = ['review', 'confirm'] as const

/** A move that somebody has to review and merge, or to confirm. */
export interface WaitingMove extends ApplicationId {
  readonly kind: (typeof WAITING_KINDS)[number]
  readonly waitsFor: (typeof WAITS_FOR)[number]
  /** `null`: the catalog has no such entity, or not yet. */
  readonly entity: CatalogEntity | null
  /** `null` for a scaffold and a deprecation. */
  readonly stage: Stage | null
  /** The open one, or the merged one; `null`: the overlay came past the portal, or too long ago. */
  readonly pull: PullRequest | null
  readonly askedBy: Person | null
  /** Milliseconds since the Unix epoch. */
  readonly since: number | null
}

export function reviewOf(
  { act, team, app, stage, pull }: ProposedMove,
  movesOf: Rows['movesOf'],
  requesters: ReadonlyMap<number, Requester>,
): WaitingMove {
  const { entity = null, row = null } = movesOf.get(appPath(team, app)) ?? {}
  return {
    kind: kindOf(act, row, stage),
    waitsFor: 'review',
    entity,
    team,
    app,
    stage,
    pull,
    askedBy: creatorOf(pull, requesters),
    since: pull.createdAt,
  }
}

function kindOf(
  act: ProposedMove['act'],
  row: AppRow | null,
  stage: Stage | null,
): WaitingMove['kind'] {
  switch (act) {
    case 'scaffold':
    case 'lifecycle':
      return act
    case 'deprecate':
      return 'deprecation'
    case 'promote':
      return stage !== null && row?.states.get(stage) === 'live' ? 'release' : 'promotion'
  }
}

export const confirmationOf = (
  { entity, team, app, lifecycle }: AppRow,
  pull: PullRequest | null,
  pipeline: Pick<Pipeline, 'stageAfter'>,
  requesters: ReadonlyMap<number, Requester>,
): WaitingMove => ({
  kind: 'promotion',
  waitsFor: 'confirm',
  entity,
  team,
  app,
  stage: pipeline.stageAfter(lifecycle) ?? null,
  pull,
  askedBy: pull && creatorOf(pull, requesters),
  since: pull?.closedAt ?? null,
})

/** Newest first; those of an unknown age last. */
export const compareMoves = (a: WaitingMove, b: WaitingMove): number =>
  (b.since ?? 0) - (a.since ?? 0) ||
  (b.pull?.number ?? 0) - (a.pull?.number ?? 0) ||
  compareText(labelOf(a), labelOf(b))

const labelOf = ({ entity, team, app }: WaitingMove): string =>
  `${team}/${app} ${entity?.ref ?? ''}`

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Differs between moves whose answers differ. */
export function versionOf({ entity, stage, pull, ...move }: WaitingMove): string {
  const card = entity && [entity.card.kind, entity.card.name, entity.card.title]
  const ofPull = pull && [pull.number, pull.title, pull.url]
  return JSON.stringify([move, card, stage?.environment, ofPull])
}

export interface Confirmers {
  /** Whether the person may confirm the move now. */
  readonly canConfirm: boolean
  /** Groups of which one may; none of a move that waits for something else. */
  readonly requires: readonly string[]
}

export function confirmersOf(
  { waitsFor, stage, team }: Pick<WaitingMove, 'waitsFor' | 'stage' | 'team'>,
  principal: Principal,
  platformGroup: string,
): Confirmers {
  if (waitsFor !== 'confirm' || stage === null) return { canConfirm: false, requires: [] }
  const requires = requiredFor(stage, team, platformGroup)
  return { canConfirm: authoriseMove(principal, stage, requires).ok, requires }
}

/** Merged pull requests among which those of unconfirmed promotions are looked for. */
const MERGED_MAX = 300

/** Applications whose next overlay waits for its confirmation. `null`: the overlay came past the portal, or too long ago. */
export type Unconfirmed = ReadonlyMap<AppRow, PullRequest | null>

/**
 * The overlays on the default branch whose lifecycle has not followed, except those whose lifecycle an open pull request changes. One
 * listing finds the pull requests of all that were not known before.
 */
export async function findUnconfirmed(
  {
    gitHost,
    repository,
    pipeline,
  }: Pick<PromotionDeps, 'repository' | 'pipeline'> & {
    readonly gitHost: Pick<GitHost, 'findPullRequests'>
  },
  base: BranchName,
  rows: readonly AppRow[],
  proposed: readonly ProposedMove[],
  before: Unconfirmed,
): Promise<Result<Unconfirmed, GitFailure>> {
  const nextOf = (row: AppRow) => pipeline.stageAfter(row.lifecycle) ?? null
  const changing = new Set(
    proposed.flatMap((move) => (move.act === 'lifecycle' ? [placeOf(move, move.stage)] : [])),
  )
  const waiting = rows.filter((row) => {
    const stage = nextOf(row)
    const isThere = stage !== null && row.states.get(stage) === 'ready_to_confirm'
    return isThere && !changing.has(placeOf(row, stage))
  })
  const merged = waiting.every((row) => before.has(row))
    ? ok([])
    : await gitHost.findPullRequests(repository, { base, state: 'merged', limit: MERGED_MAX })
  if (!merged.ok) return merged
  const promotions = new Map<string, PullRequest>()
  // Newest first, of which the newest counts.
  for (const pull of merged.value.toReversed()) {
    const found = proposedMoveOf(pull, pipeline)
    if (found?.act !== 'promote') continue
    promotions.set(placeOf(found, found.stage), { ...pull, body: lastLineOf(pull.body) })
  }
  const pullOf = (row: AppRow) => promotions.get(placeOf(row, nextOf(row))) ?? null
  return ok(new Map(waiting.map((row) => [row, before.get(row) ?? pullOf(row)])))
}

const placeOf = ({ team, app }: ApplicationId, stage: Stage | null): string =>
  `${appPath(team, app)} ${stage?.environment}`

export interface MoveFilter extends TeamFilter {
  readonly waitsFor: WaitingMove['waitsFor'] | undefined
}

export function selectMoves(
  moves: readonly WaitingMove[],
  filter: MoveFilter,
): readonly WaitingMove[] {
  const isOfTeam = teamCheck(filter)
  return moves.filter(
    ({ team, waitsFor }) =>
      isOfTeam(team) && (filter.waitsFor === undefined || waitsFor === filter.waitsFor),
  )
}
