import type { Relation } from './relations.ts'

/** This entity cannot work without these: it stops when one of them does. */
const NEEDS = new Set<Relation['type']>(['dependsOn', 'consumesApi', 'apiProvidedBy'])
/** These cannot work without this entity. */
const NEEDED_BY = new Set<Relation['type']>(['dependencyOf', 'apiConsumedBy', 'providesApi'])

/** More on a side is a number: the list has them all. */
export const NODES_MAX = 12

/** One side of the picture. */
export interface Side {
  readonly relations: readonly Relation[]
  /** How many are left out. */
  readonly more: number
  /** One end of a line for each row, from the top, in rows. */
  readonly ends: readonly number[]
}

/** This entity in the middle, what needs it on the left, what it needs on the right. Lengths are in rows. */
export interface Picture {
  readonly rows: number
  readonly neededBy: Side
  readonly needs: Side
}

/** Null without anything to draw. */
export function pictureOf(relations: readonly Relation[]): Picture | null {
  const left = relations.filter(({ type }) => NEEDED_BY.has(type))
  const right = relations.filter(({ type }) => NEEDS.has(type))
  if (left.length + right.length === 0) return null
  const rows = Math.max(rowsOf(left), rowsOf(right))
  return { rows, neededBy: sideOf(left, rows), needs: sideOf(right, rows) }
}

/** A row for each, and one that says how many more there are. */
const rowsOf = ({ length }: readonly Relation[]): number => Math.min(length, NODES_MAX + 1)

/** A shorter side stands in the middle of the height. */
function sideOf(all: readonly Relation[], rows: number): Side {
  const own = rowsOf(all)
  const relations = all.slice(0, NODES_MAX)
  const top = (rows - own) / 2
  return {
    relations,
    more: all.length - relations.length,
    ends: Array.from({ length: own }, (_, index) => top + index + 0.5),
  }
}

/** Width of a line, and height of a row, of the drawing. */
export const LINE_WIDTH = 48
export const ROW_HEIGHT = 44

/** Curves from the rows at the left edge to the middle of the right edge. */
export const linesOf = ({ rows }: Picture, { ends }: Side): readonly string[] =>
  ends.map((end) => {
    const [from, to, half] = [end * ROW_HEIGHT, (rows * ROW_HEIGHT) / 2, LINE_WIDTH / 2]
    return `M0 ${from}C${half} ${from} ${half} ${to} ${LINE_WIDTH} ${to}`
  })
