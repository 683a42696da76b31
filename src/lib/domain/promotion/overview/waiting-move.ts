import type { AppName, TeamName } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import type { Principal } from '../../access/principal.ts'
import type { CatalogEntity } from '../../catalog/snapshot.ts'
import { type Requester, creatorOf, type Person } from '../../gitops/requesters.ts'
import { appPath } from '../../gitops/layout.ts'
import { authoriseMove, MOVE_KINDS, requiredFor } from '../decide.ts'
import type { Stage } from '../pipeline.ts'
import type { AppRow } from './app-row.ts'
import type { ProposedMove } from '../pulls.ts'
import type { Rows } from './rows.ts'
import type { Unconfirmed } from './unconfirmed.ts'

/** The moves of an installation, those that no one asks for by a promotion among them. */
export const WAITING_KINDS = ['scaffold', ...MOVE_KINDS, 'lifecycle'] as const

export const WAITS_FOR = ['review', 'confirm'] as const

/** A move that somebody has to review and merge, or to confirm. */
export interface WaitingMove {
  readonly kind: (typeof WAITING_KINDS)[number]
  readonly waitsFor: (typeof WAITS_FOR)[number]
  /** `null`: the catalog has no such entity, or not yet. */
  readonly entity: CatalogEntity | null
  readonly team: TeamName
  readonly app: AppName
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
  { rowOf, entityOf }: Pick<Rows, 'rowOf' | 'entityOf'>,
  requesters: ReadonlyMap<number, Requester>,
): WaitingMove {
  const path = appPath(team, app)
  return {
    kind: kindOf(act, rowOf.get(path), stage),
    waitsFor: 'review',
    entity: entityOf.get(path) ?? null,
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
  row: AppRow | undefined,
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
  { row: { entity, team, app }, stage, pull }: Unconfirmed,
  requesters: ReadonlyMap<number, Requester>,
): WaitingMove => ({
  kind: 'promotion',
  waitsFor: 'confirm',
  entity,
  team,
  app,
  stage,
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
