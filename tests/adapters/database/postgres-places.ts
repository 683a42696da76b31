import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { type DatabasePlace } from '#tests/contracts/database.ts'
import { valueOf } from '#tests/support/value-of.ts'
import type { PostgresPeer } from '#tests/peers/postgres.ts'

const TRUNCATE = `
  DO $$ BEGIN
    EXECUTE (
      SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY'
      FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'schema\\_%');
  END $$`

/**
 * Places on a server: empty, or with the tables, which are one database for one test after the other, since a new one takes longer than
 * most tests. `through` gives the address that is opened.
 */
export function postgresPlaces(
  server: () => PostgresPeer,
  through: (direct: string) => string = (direct) => direct,
) {
  const shared = lazily(async () => {
    const direct = await server().createDatabase()
    await valueOf(await openDatabase(direct)).close()
    return await at(direct)
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
    withTables: async () => {
      const place = await shared()
      await place.execute(TRUNCATE)
      return place
    },
  }
}
