import type { Lease, LeaseStore } from '../../ports/database/leases.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** Holder of a lease that only keeps unfinished work. */
const NOBODY = ''

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly name: string
  readonly holder: string
  readonly held_until: number | string
  readonly work: string | null
}

const toLease = ({ holder, held_until: until }: Columns): Lease => ({
  holder,
  until: Number(until),
})

export const createLeaseStore = (engine: Engine): LeaseStore => ({
  take: (name, { holder, until }, seen) =>
    engine.transaction(`lease/${name}`, async (sql) => {
      // As one statement: a renewal or a note may come at any time.
      const [taken] = await sql<Pick<Columns, 'work'>[]>`
        UPDATE lease SET holder = ${holder}, held_until = ${until}
        WHERE name = ${name} AND (holder = ${NOBODY}
          OR (holder = ${seen?.holder ?? NOBODY} AND held_until = ${seen?.until ?? 0}))
        RETURNING work`
      if (taken !== undefined) return { kind: 'taken', work: taken.work }
      const [found] = await sql<Columns[]>`SELECT * FROM lease WHERE name = ${name}`
      if (found !== undefined) return { kind: 'held', lease: toLease(found) }
      await sql`INSERT INTO lease (name, holder, held_until) VALUES (${name}, ${holder}, ${until})`
      return { kind: 'taken', work: null }
    }),

  async renew(name, { holder, until }) {
    const renewed = await engine.run(
      (sql) => sql<unknown[]>`
      UPDATE lease SET held_until = CASE WHEN held_until = ${until} THEN held_until + 1 ELSE ${until} END
      WHERE name = ${name} AND holder = ${holder}`,
    )
    return renewed.ok ? ok(undefined) : renewed
  },

  async note(name, holder, work) {
    const noted = await engine.run(
      (sql) =>
        sql<unknown[]>`UPDATE lease SET work = ${work} WHERE name = ${name} AND holder = ${holder}`,
    )
    return noted.ok ? ok(noted.value.affectedRows === 1) : noted
  },

  release: (name, holder) =>
    engine.transaction(`lease/${name}`, async (sql) => {
      await sql`DELETE FROM lease WHERE name = ${name} AND holder = ${holder} AND work IS NULL`
      await sql`UPDATE lease SET holder = ${NOBODY} WHERE name = ${name} AND holder = ${holder}`
    }),

  async listUnfinished(limit) {
    const listed = await engine.run(
      (sql) =>
        sql<Columns[]>`SELECT * FROM lease WHERE work IS NOT NULL ORDER BY name LIMIT ${limit}`,
    )
    if (!listed.ok) return listed
    return ok(
      listed.value.map((columns) => ({
        name: columns.name,
        lease: columns.holder === NOBODY ? null : toLease(columns),
      })),
    )
  },
})
