import type { WriteTurnStore } from '../../ports/database/write-turns.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly at: number | string
  readonly used_until: number | string
}

export const createWriteTurnStore = (engine: Engine): WriteTurnStore => ({
  take: (host, next) =>
    engine.transaction(`write_turn/${host}`, async (sql) => {
      const [last] = await sql<Columns[]>`
        SELECT at, used_until FROM write_turn WHERE host = ${host}`
      const turn = next(
        last === undefined ? null : { at: Number(last.at), usedUntil: Number(last.used_until) },
      )
      if (turn === null) return null
      await sql`
        INSERT INTO write_turn (host, at, used_until) VALUES (${host}, ${turn.at}, ${turn.usedUntil})
        ON CONFLICT (host) DO UPDATE SET at = ${turn.at}, used_until = ${turn.usedUntil}`
      return turn
    }),
})
