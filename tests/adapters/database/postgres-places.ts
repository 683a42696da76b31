import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { type DatabasePlace, valueOf } from '#tests/contracts/database.ts'
import type { PostgresPeer } from '#tests/peers/postgres.ts'

/** Places on a server, empty or with the tables, which take longer to make than most tests. `through` gives the address that is opened. */
export function postgresPlaces(
  server: () => PostgresPeer,
  through: (direct: string) => string = (direct) => direct,
) {
  const original = lazily(async () => {
    const direct = await server().createDatabase()
    await valueOf(await openDatabase(direct)).close()
    return direct
  })
  async function at(direct: string): Promise<DatabasePlace & { readonly direct: string }> {
    const url = through(direct)
    return {
      url,
      direct,
      open: () => openDatabase(url),
      async execute(statement) {
        await using sql = new Bun.SQL(direct, { max: 1 })
        await sql.unsafe(statement)
      },
      async [Symbol.asyncDispose]() {},
    }
  }
  return {
    empty: async () => at(await server().createDatabase()),
    withTables: async () => at(await server().createDatabase(await original())),
  }
}
