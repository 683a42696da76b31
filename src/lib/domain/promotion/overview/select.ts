import type { AppRow } from './rows.ts'
import type { WaitingMove } from './waiting-move.ts'

/** A row or move must match every filter, and any value within one. An empty list is no filter. */
export interface TeamFilter {
  readonly team: readonly string[]
  /** Teams of which one must own the application; `null` is no filter, and an empty list selects nothing. */
  readonly ownedBy: readonly string[] | null
}

export interface RowFilter extends TeamFilter {
  /** In lower case. */
  readonly system: readonly string[]
  /** References, see `entityRef`. */
  readonly entity: readonly string[]
}

export interface MoveFilter extends TeamFilter {
  readonly waitsFor: WaitingMove['waitsFor'] | undefined
}

export function selectRows(rows: readonly AppRow[], filter: RowFilter): readonly AppRow[] {
  const isOfTeam = teamCheck(filter)
  const systems = new Set<string | null>(filter.system)
  const refs = new Set(filter.entity)
  return rows.filter(
    ({ team, entity }) =>
      isOfTeam(team) &&
      (refs.size === 0 || refs.has(entity.ref)) &&
      (systems.size === 0 || systems.has(entity.lowerCase.system)),
  )
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

function teamCheck({ team, ownedBy }: TeamFilter): (team: string) => boolean {
  const [named, own] = [new Set(team), ownedBy && new Set(ownedBy)]
  return (name) => (named.size === 0 || named.has(name)) && (own === null || own.has(name))
}
