import type { SQL } from 'bun'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import type { Engine, Statement } from './engine.ts'

type Answer<Value> = Promise<Result<Value, DatabaseFailure>>
type Query<Row> = (sql: SQL) => Statement<readonly Row[]>
type Change = (sql: SQL) => Statement<{ readonly affectedRows: number }>

/** Single statements, by what is read of their answers. */
export function statementsOf({ run }: Pick<Engine, 'run'>) {
  async function all<Columns, Row>(
    query: Query<Columns>,
    toRow: (columns: Columns) => Row,
  ): Answer<readonly Row[]> {
    const found = await run(query)
    return found.ok ? ok(found.value.map(toRow)) : found
  }

  /** `null`: there is no row. */
  async function first<Columns, Row>(
    query: Query<Columns>,
    toRow: (columns: Columns) => Row,
  ): Answer<Row | null> {
    const found = await run(query)
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  }

  /** The number of rows that a statement has changed. */
  async function changed(change: Change): Answer<number> {
    const done = await run(change)
    return done.ok ? ok(done.value.affectedRows) : done
  }

  /** Whether a statement has changed its one row. */
  async function hasChanged(change: Change): Answer<boolean> {
    const count = await changed(change)
    return count.ok ? ok(count.value === 1) : count
  }

  async function done(change: Change): Answer<void> {
    const count = await changed(change)
    return count.ok ? ok(undefined) : count
  }

  return { all, first, changed, hasChanged, done }
}

type IntegerName<Row> = {
  [Name in keyof Row]-?: Row[Name] extends number | null ? Name : never
}[keyof Row]

/** A row as the drivers give it: that of PostgreSQL has 64-bit integers as text. Columns are named as members of the row. */
export type Stored<Row> = {
  readonly [Name in keyof Row]: Row[Name] extends number | null ? Row[Name] | string : Row[Name]
}

/** Makes rows of columns. `integers` names every member that is a number; bytes become plain ones, whatever the driver has. */
export const rowOf =
  <Row extends object>(integers: Readonly<Record<IntegerName<Row>, true>>) =>
  (columns: Stored<Row>): Row => {
    const entries = Object.entries(columns).map(([name, value]: [string, unknown]) => {
      if (value instanceof Uint8Array) return [name, new Uint8Array(value)]
      return [name, name in integers && value !== null ? Number(value) : value]
    })
    // Every member is there, and the numbers are numbers: both follow from the types of the parameters.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return Object.fromEntries(entries) as Row
  }
