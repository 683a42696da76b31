import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { auditStoreContract } from '#tests/contracts/audit-store.ts'
import { databaseContract, valueOf } from '#tests/contracts/database.ts'
import { rateLimitStoreContract } from '#tests/contracts/rate-limit-store.ts'
import { runStoreContract } from '#tests/contracts/run-store.ts'
import { type PostgresPeer, postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { startTcpProxy } from '#tests/peers/tcp-proxy.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'

const ANSWER_MS = 2500
const START_MS = 60_000

if (postgresBinaries === undefined) {
  test.skipIf(!mustHaveAll)('PostgreSQL is installed (Debian: apt-get install postgresql)', () => {
    expect(postgresBinaries).toBeDefined()
  })
} else {
  const binaries = postgresBinaries

  describe('with a server', () => {
    let peer: PostgresPeer
    beforeAll(async () => {
      peer = await startPostgres(binaries)
    }, START_MS)
    afterAll(() => peer[Symbol.asyncDispose]())

    const place = async () => {
      const url = await peer.createDatabase()
      return {
        url,
        open: () => openDatabase(url),
        async execute(statement: string) {
          await using sql = new Bun.SQL(url, { max: 1 })
          await sql.unsafe(statement)
        },
        async [Symbol.asyncDispose]() {},
      }
    }
    databaseContract('PostgreSQL', place)
    runStoreContract('PostgreSQL', place)
    auditStoreContract('PostgreSQL', place)
    rateLimitStoreContract('PostgreSQL', place)

    test('two replicas keep the limit of one person together', async () => {
      const url = await peer.createDatabase()
      const even = valueOf(await openDatabase(url))
      const odd = valueOf(await openDatabase(url))
      const inserted = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 === 0 ? even : odd).sessions.insert(
            {
              idHash: `h${index}`,
              issuer: 'i',
              subject: 's',
              sid: null,
              createdAt: index,
              seenAt: index,
              expiresAt: index,
              version: 1,
              keyId: 'k',
              sealed: new Uint8Array(1),
              address: null,
              userAgent: null,
            },
            10,
          ),
        ),
      )
      expect(inserted.every((outcome) => outcome.ok)).toBe(true)
      expect(
        await even.sessions.remove({ kind: 'over', expiredAt: 29, seenBefore: 0 }),
      ).toStrictEqual({
        ok: true,
        value: 0,
      })
      expect(
        await odd.sessions.remove({ kind: 'over', expiredAt: 39, seenBefore: 0 }),
      ).toStrictEqual({
        ok: true,
        value: 10,
      })
      await Promise.all([even.close(), odd.close()])
    })

    test('a statement that waits for a lock is ended by the server', async () => {
      const url = await peer.createDatabase()
      const database = valueOf(await openDatabase(url))
      await using sql = new Bun.SQL(url, { max: 1 })
      await sql.begin(async (sql) => {
        await sql`LOCK TABLE session`
        const startedAt = performance.now()
        expect(await database.sessions.find('x')).toStrictEqual({
          ok: false,
          error: { kind: 'database_unavailable', reason: 'ERR_POSTGRES_SERVER_ERROR 57014' },
        })
        expect(performance.now() - startedAt).toBeLessThan(ANSWER_MS)
      })
      expect(await database.sessions.find('x')).toStrictEqual({ ok: true, value: null })
      await database.close()
    })

    test('connections that are lost without a word are unavailable once, then replaced', async () => {
      const url = new URL(await peer.createDatabase())
      using proxy = await startTcpProxy(Number(url.port))
      url.port = String(proxy.port)
      const database = valueOf(await openDatabase(url.href))
      proxy.deafen()
      const startedAt = performance.now()
      const lost = await Promise.all(Array.from({ length: 20 }, () => database.sessions.find('x')))
      expect(performance.now() - startedAt).toBeLessThan(ANSWER_MS)
      expect(lost.filter((outcome) => !outcome.ok).length).toBeGreaterThan(0)
      expect(await database.sessions.find('x')).toStrictEqual({ ok: true, value: null })
      expect(await database.ping()).toStrictEqual({ ok: true, value: undefined })
      await database.close()
    })

    test.each([
      ['an unknown database', (url: string) => url.replace(/[^/]+$/, 'absent')],
      ['a wrong port', (url: string) => url.replace(/:\d+\//, ':1/')],
      ['a malformed URL', () => 'postgres://user:secret-password@[/x'],
    ])('%s is refused without the URL', async (_, spoil) => {
      const refused = await openDatabase(spoil(await peer.createDatabase()))
      expect(refused).toMatchObject({ ok: false, error: { kind: 'database_unavailable' } })
      expect(JSON.stringify(refused)).not.toMatch(/secret|127\.0|absent/)
    })
  })

  describe('with a server that goes away', () => {
    let peer: PostgresPeer
    beforeAll(async () => {
      peer = await startPostgres(binaries)
    }, START_MS)
    afterAll(() => peer[Symbol.asyncDispose]())

    const timed = async <Outcome>(act: () => Promise<Outcome>) => {
      const startedAt = performance.now()
      const outcome = await act()
      return { outcome, soon: performance.now() - startedAt < ANSWER_MS }
    }
    const unavailable = {
      outcome: { ok: false, error: { kind: 'database_unavailable' } },
      soon: true,
    }
    const nothing = { outcome: { ok: true, value: null }, soon: true } as const

    test(
      'stopped: unavailable; started again: works',
      async () => {
        const database = valueOf(await openDatabase(await peer.createDatabase()))
        peer.stop()
        expect(await timed(() => database.sessions.find('x'))).toMatchObject(unavailable)
        expect(await timed(() => database.ping())).toMatchObject(unavailable)
        await peer.start()
        expect(await timed(() => database.sessions.find('x'))).toStrictEqual(nothing)
        expect(await database.ping()).toStrictEqual({ ok: true, value: undefined })
        await database.close()
      },
      START_MS,
    )

    test(
      'frozen: unavailable within the deadline, also for a new connection; thawed: works',
      async () => {
        const database = valueOf(await openDatabase(await peer.createDatabase()))
        peer.freeze()
        try {
          expect(await timed(() => database.sessions.find('x'))).toMatchObject(unavailable)
          expect(await timed(() => database.sessions.find('x'))).toMatchObject(unavailable)
          const many = await timed(() =>
            Promise.all(Array.from({ length: 30 }, () => database.ping())),
          )
          expect(many).toMatchObject({
            outcome: Array.from({ length: 30 }, () => unavailable.outcome),
            soon: true,
          })
        } finally {
          peer.thaw()
        }
        expect(await timed(() => database.sessions.find('x'))).toStrictEqual(nothing)
        await database.close()
      },
      START_MS,
    )
  })
}
