import type { RequesterRow, RequesterStore } from '../../ports/database/requesters.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly repository: string
  readonly number: number | string
  readonly opened_at: number | string
  readonly subject: string
  readonly name: string
}

const toRow = ({ number, opened_at: openedAt, ...columns }: Columns): RequesterRow => ({
  ...columns,
  number: Number(number),
  openedAt: Number(openedAt),
})

export const createRequesterStore = (engine: Engine): RequesterStore => ({
  async note({ repository, number, openedAt, subject, name }) {
    const noted = await engine.run(
      (sql) => sql`
      INSERT INTO pull_request_asker (repository, number, opened_at, subject, name)
      VALUES (${repository}, ${number}, ${openedAt}, ${subject}, ${name})
      ON CONFLICT (repository, number, opened_at) DO NOTHING`,
    )
    return noted.ok ? ok(undefined) : noted
  },

  async find(repository, numbers) {
    if (numbers.length === 0) return ok([])
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      SELECT repository, number, opened_at, subject, name FROM pull_request_asker
      WHERE repository = ${repository} AND number IN ${sql(numbers)}`,
    )
    return found.ok ? ok(found.value.map(toRow)) : found
  },

  async removeBefore(openedAt) {
    const removed = await engine.run(
      (sql) => sql<unknown[]>`DELETE FROM pull_request_asker WHERE opened_at < ${openedAt}`,
    )
    return removed.ok ? ok(removed.value.affectedRows) : removed
  },
})
