import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { databaseContract } from '#tests/contracts/database.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { runStoreContract } from '#tests/contracts/run-store.ts'
import { pgbouncerBinary, type PgbouncerPeer, startPgbouncer } from '#tests/peers/pgbouncer.ts'
import { type PostgresPeer, postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { postgresPlaces } from './postgres-places.ts'

if (postgresBinaries === undefined || pgbouncerBinary === null) {
  test.skipIf(!mustHaveAll)('pgbouncer is installed (Debian: apt-get install pgbouncer)', () => {
    expect(postgresBinaries).toBeDefined()
    expect(pgbouncerBinary).not.toBeNull()
  })
} else {
  const binaries = { postgres: postgresBinaries, pgbouncer: pgbouncerBinary }

  describe('through pgbouncer in transaction mode', () => {
    let server: PostgresPeer
    let pooler: PgbouncerPeer
    beforeAll(async () => {
      server = await startPostgres(binaries.postgres)
      pooler = await startPgbouncer(binaries.pgbouncer, server.url)
    })
    afterAll(async () => {
      await pooler[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    const places = postgresPlaces(
      () => server,
      (direct) => pooler.through(direct),
    )
    // Transactions, locks and leases; statements of other stores have nothing that a connection remembers.
    databaseContract('PostgreSQL through pgbouncer', places.empty, places.withTables)
    runStoreContract('PostgreSQL through pgbouncer', places.withTables, { isShared: true })

    test('a statement that waits for a lock is cancelled through the pooler', async () => {
      const at = await places.withTables()
      const database = valueOf(await at.open())
      await using sql = new Bun.SQL(at.direct, { max: 1 })
      await sql.begin(async (sql) => {
        await sql`LOCK TABLE session`
        expect(await database.sessions.find('x')).toStrictEqual({
          ok: false,
          error: { kind: 'database_unavailable', reason: 'ERR_POSTGRES_SERVER_ERROR 57014' },
        })
        const waiting = await sql<unknown[]>`
          SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(0)
      })
      expect(await database.sessions.find('x')).toStrictEqual({ ok: true, value: null })
      await database.close()
    })

    test('no setting reaches the next client of a connection', async () => {
      const at = await places.withTables()
      const database = valueOf(await at.open())
      for (let round = 0; round < 8; round++) await database.ping()
      await using sql = new Bun.SQL(at.url, { max: 1, prepare: false })
      const settings = await sql<{ name: string; setting: string }[]>`
        SELECT name, setting FROM pg_settings
        WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')`
      expect(settings.map(({ setting }) => setting)).toStrictEqual(['0', '0', '0'])
      await database.close()
    })

    test('a listening connection goes around the pooler', async () => {
      const at = await places.withTables()
      const here = valueOf(await openDatabase(at.url, { listenUrl: at.direct }))
      const there = valueOf(await at.open())
      const told = Promise.withResolvers<void>()
      // The time of the next poll never comes.
      jest.useFakeTimers()
      here.generations.follow('catalog', told.resolve)
      await there.generations.advance('catalog')
      await told.promise
      jest.useRealTimers()
      await Promise.all([here.close(), there.close()])
    })
  })
}
