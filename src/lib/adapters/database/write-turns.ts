import type { WriteTurn, WriteTurnStore } from '../../ports/database/write-turns.ts'
import type { Engine } from './engine.ts'
import { rowOf, type Stored } from './statements.ts'

const toTurn = rowOf<WriteTurn>({ at: true, usedUntil: true })

export const createWriteTurnStore = (engine: Engine): WriteTurnStore => ({
  take: (host, next) =>
    engine.transaction(`write_turn/${host}`, async (sql) => {
      const [last] = await sql<Stored<WriteTurn>[]>`
        SELECT at, used_until AS "usedUntil" FROM write_turn WHERE host = ${host}`
      const turn = next(last === undefined ? null : toTurn(last))
      if (turn === null) return null
      await sql`
        INSERT INTO write_turn (host, at, used_until) VALUES (${host}, ${turn.at}, ${turn.usedUntil})
        ON CONFLICT (host) DO UPDATE SET at = ${turn.at}, used_until = ${turn.usedUntil}`
      return turn
    }),
})
