import { afterEach, describe, expect, jest, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { openPostgres } from '#src/lib/adapters/database/postgres.ts'
import { listenForNotices } from '#src/lib/adapters/database/postgres-notices.ts'
import type { Database } from '#src/lib/ports/database.ts'
import type { SessionRow } from '#src/lib/ports/database/sessions.ts'
import { auditStoreContract } from '#tests/contracts/audit-store.ts'
import { databaseContract } from '#tests/contracts/database.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { rateLimitStoreContract } from '#tests/contracts/rate-limit-store.ts'
import { runStoreContract } from '#tests/contracts/run-store.ts'
import { deployTokenStoreContract } from '#tests/contracts/deploy-token-store.ts'
import { requesterStoreContract } from '#tests/contracts/requester-store.ts'
import { secretVersionStoreContract } from '#tests/contracts/secret-version-store.ts'
import { secretWriteStoreContract } from '#tests/contracts/secret-write-store.ts'
import { writeTurnStoreContract } from '#tests/contracts/write-turn-store.ts'
import { describePostgres, startPostgres } from '#tests/peers/postgres.ts'
import { startTcpProxy } from '#tests/peers/tcp-proxy.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { until } from '#tests/support/until.ts'
import { postgresPlaces } from './postgres-places.ts'

/** Not a loopback name. Linux connects to this host. */
const ANOTHER_HOST = '0.0.0.0'

const sessionRow = (idHash: string): SessionRow => ({
  kind: 'browser',
  idHash,
  issuer: 'i',
  subject: 's',
  sid: null,
  createdAt: 1,
  seenAt: 1,
  expiresAt: 1,
  version: 1,
  keyId: 'k',
  sealed: new Uint8Array(1),
  address: null,
  userAgent: null,
})
const named = (url: string, name: string) => url.replace('127.0.0.1', name)
const isEncrypted = async (url: string, ca: string | null): Promise<string | boolean> => {
  const engine = openPostgres(url, { ca, listenUrl: null, onListening() {} })
  if (!engine.ok) return engine.error.reason
  const found = await engine.value.run(
    (sql) => sql<{ ssl: boolean }[]>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
  )
  await engine.value.close()
  return found.ok ? found.value[0]?.ssl === true : found.error.reason
}

describePostgres('with a server', (peer) => {
  const places = postgresPlaces(peer)
  databaseContract('PostgreSQL', places.empty, places.withTables)
  runStoreContract('PostgreSQL', places.withTables, { isShared: true })
  auditStoreContract('PostgreSQL', places.withTables)
  secretWriteStoreContract('PostgreSQL', places.withTables)
  writeTurnStoreContract('PostgreSQL', places.withTables)
  secretVersionStoreContract('PostgreSQL', places.withTables)
  requesterStoreContract('PostgreSQL', places.withTables)
  deployTokenStoreContract('PostgreSQL', places.withTables)
  rateLimitStoreContract('PostgreSQL', places.withTables)

  test('two replicas keep the limit of one person together', async () => {
    const url = await peer().createDatabase()
    const even = valueOf(await openDatabase(url))
    const odd = valueOf(await openDatabase(url))
    const inserted = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? even : odd).sessions.insert(
          { ...sessionRow(`h${index}`), createdAt: index, seenAt: index, expiresAt: index },
          10,
        ),
      ),
    )
    expect(inserted.every((outcome) => outcome.ok)).toBe(true)
    expect(
      await even.sessions.remove({
        kind: 'over',
        expiredAt: 29,
        seenBefore: { browser: 0, grant: 0 },
      }),
    ).toStrictEqual({
      ok: true,
      value: 0,
    })
    expect(
      await odd.sessions.remove({
        kind: 'over',
        expiredAt: 39,
        seenBefore: { browser: 0, grant: 0 },
      }),
    ).toStrictEqual({
      ok: true,
      value: 10,
    })
    await Promise.all([even.close(), odd.close()])
  })

  test('a statement that waits for a lock is ended by the server', async () => {
    const url = await peer().createDatabase()
    const database = valueOf(await openDatabase(url))
    await using sql = new Bun.SQL(url, { max: 1 })
    await sql.begin(async (sql) => {
      await sql`LOCK TABLE session`
      expect(await database.sessions.find('x')).toStrictEqual({
        ok: false,
        error: { kind: 'database_unavailable', reason: 'ERR_POSTGRES_SERVER_ERROR 57014' },
      })
    })
    expect(await database.sessions.find('x')).toStrictEqual({ ok: true, value: null })
    await database.close()
  })

  test('a transaction that waits for a lock is ended by the server', async () => {
    const url = await peer().createDatabase()
    const database = valueOf(await openDatabase(url))
    await using sql = new Bun.SQL(url, { max: 1 })
    await sql.begin(async (sql) => {
      await sql`LOCK TABLE session`
      expect(await database.sessions.insert(sessionRow('a'), 10)).toStrictEqual({
        ok: false,
        error: { kind: 'database_unavailable', reason: 'ERR_POSTGRES_SERVER_ERROR 57014' },
      })
    })
    await sql.begin(async (sql) => {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended('session/i/s', 0))`
      expect(await database.sessions.insert(sessionRow('a'), 10)).toStrictEqual({
        ok: false,
        error: { kind: 'database_unavailable', reason: 'ERR_POSTGRES_SERVER_ERROR 55P03' },
      })
    })
    expect(await database.sessions.find('a')).toStrictEqual({ ok: true, value: null })
    await database.close()
  })

  test('no setting and no statement stays on a connection', async () => {
    const url = await peer().createDatabase()
    const engine = valueOf(openPostgres(url, { ca: null, listenUrl: null, onListening() {} }))
    const settings = () =>
      engine.run(
        (sql) => sql<{ setting: string }[]>`
          SELECT setting FROM pg_settings
          WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')`,
      )
    const inside = valueOf(
      await engine.transaction('test', (sql) =>
        Promise.resolve(sql<{ setting: string }[]>`
          SELECT setting FROM pg_settings
          WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')
          ORDER BY name`),
      ),
    )
    expect(inside.map(({ setting }) => setting)).toStrictEqual(['5000', '1500', '1500'])
    expect(valueOf(await settings()).map(({ setting }) => setting)).toStrictEqual(['0', '0', '0'])
    const prepared = valueOf(
      await engine.run((sql) => sql<unknown[]>`SELECT * FROM pg_prepared_statements`),
    )
    expect(prepared).toHaveLength(0)
    await engine.close()
  })

  test('connections that are lost without a word are unavailable once, then replaced', async () => {
    const url = new URL(await peer().createDatabase())
    using proxy = await startTcpProxy(Number(url.port))
    url.port = String(proxy.port)
    const database = valueOf(await openDatabase(url.href))
    proxy.deafen()
    const lost = await Promise.all(Array.from({ length: 20 }, () => database.sessions.find('x')))
    expect(lost.filter((outcome) => !outcome.ok).length).toBeGreaterThan(0)
    expect(await database.sessions.find('x')).toStrictEqual({ ok: true, value: null })
    expect(await database.ping()).toStrictEqual({ ok: true, value: undefined })
    await database.close()
  })

  test('a server that has become a standby is left, as after a failover', async () => {
    const url = await peer().createDatabase()
    const database = valueOf(await openDatabase(url))
    await using admin = new Bun.SQL(url, { max: 1 })
    // Connections that are there take no writes any more, those that follow do: as by a name that leads to another server now.
    await admin`ALTER SYSTEM SET default_transaction_read_only = on`
    await admin`SELECT pg_reload_conf()`
    try {
      await until(async () => !(await database.ping()).ok)
      await admin.begin('READ WRITE', (sql) =>
        sql.unsafe(
          `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = off`,
        ),
      )
      await until(async () => (await database.ping()).ok)
      expect(await database.sessions.insert(sessionRow('a'), 10)).toMatchObject({ ok: true })
    } finally {
      await admin`ALTER SYSTEM RESET default_transaction_read_only`
      await admin`SELECT pg_reload_conf()`
      await database.close()
    }
  })

  test.each([
    ['an unknown database', (url: string) => url.replace(/[^/]+$/, 'absent')],
    ['a wrong port', (url: string) => url.replace(/:\d+\//, ':1/')],
    ['a malformed URL', () => 'postgres://user:secret-password@[/x'],
  ])('%s is refused without the URL', async (_, spoil) => {
    const refused = await openDatabase(spoil(await peer().createDatabase()))
    expect(refused).toMatchObject({ ok: false, error: { kind: 'database_unavailable' } })
    expect(JSON.stringify(refused)).not.toMatch(/secret|127\.0|absent/)
  })

  test('a server without TLS is refused when it is not on this host', async () => {
    expect(await isEncrypted(named(peer().url, ANOTHER_HOST), null)).toBe(
      'ERR_POSTGRES_TLS_NOT_AVAILABLE',
    )
  })

  describe('with a listening connection', () => {
    afterEach(() => void jest.useRealTimers())

    const follow = (database: Database) => {
      let told = 0
      database.generations.follow('catalog', () => void told++)
      return { until: (count: number) => until(() => told === count) }
    }

    test('ten advances of another process are each told without a poll', async () => {
      const url = await peer().createDatabase()
      const here = valueOf(await openDatabase(url, { listenUrl: url }))
      const there = valueOf(await openDatabase(url))
      // The time of the next poll never comes.
      jest.useFakeTimers()
      const told = follow(here)
      for (let round = 1; round <= 10; round++) {
        await there.generations.advance('catalog')
        await told.until(round)
      }
      await Promise.all([here.close(), there.close()])
    })

    test('a connection that is lost without a word is replaced', async () => {
      const url = await peer().createDatabase()
      const lossy = new URL(url)
      using proxy = await startTcpProxy(Number(lossy.port))
      lossy.port = String(proxy.port)
      await using sql = new Bun.SQL(url, { max: 1 })
      const notices: string[] = []
      const failures: (string | null)[] = []
      let probes = 0
      jest.useFakeTimers()
      const stop = listenForNotices({
        connect: (onclose) => new Bun.SQL(lossy.href, { max: 1, onclose }),
        channel: 'test',
        onNotice: (text) => notices.push(text),
        onListening: (failure) => failures.push(failure),
        send: async (text) => {
          await sql`SELECT pg_notify('test', ${text})`
          probes += 1
          return true
        },
      })
      const pass = async (milliseconds: number) => {
        jest.advanceTimersByTime(milliseconds)
        for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
      }
      await until(() => notices.length === 1)
      await pass(20_000)
      await until(() => probes === 1)
      // Notices come in their order, so the probe has come back.
      await sql`SELECT pg_notify('test', 'after the probe')`
      await until(() => notices.length === 2)
      await pass(5_000)
      expect(failures).toStrictEqual([null])
      proxy.deafen()
      await pass(20_000)
      await until(() => probes === 2)
      await pass(5_000)
      await until(() => failures.length === 2)
      await pass(250)
      await until(() => notices.length === 3)
      expect(failures).toStrictEqual([null, 'silent', null])
      await sql`SELECT pg_notify('test', 'again')`
      await until(() => notices.length === 4)
      expect(notices).toStrictEqual(['', 'after the probe', '', 'again'])
      stop()
    })

    test('a listening connection that cannot be made is reported, and polling goes on', async () => {
      const url = await peer().createDatabase()
      const failures: (string | null)[] = []
      const here = valueOf(
        await openDatabase(url, {
          listenUrl: url.replace(/:\d+\//, ':1/'),
          onListening: (failure) => failures.push(failure),
        }),
      )
      const there = valueOf(await openDatabase(url))
      const told = follow(here)
      await there.generations.advance('catalog')
      await told.until(1)
      expect(failures[0]).toBe('ERR_POSTGRES_CONNECTION_REFUSED')
      await Promise.all([here.close(), there.close()])
    })

    test('what was advanced while the server was away from the listener is told after it', async () => {
      const url = await peer().createDatabase()
      const here = valueOf(await openDatabase(url, { listenUrl: url }))
      const told = follow(here)
      await Bun.sleep(100)
      peer().stop()
      await peer().start()
      const there = valueOf(await openDatabase(url))
      await there.generations.advance('catalog')
      await told.until(1)
      await Promise.all([here.close(), there.close()])
    })
  })

  describe('that goes away', () => {
    const unavailable = { ok: false, error: { kind: 'database_unavailable' } }
    const nothing = { ok: true, value: null } as const

    test('stopped: unavailable; started again: works', async () => {
      const database = valueOf(await openDatabase(await peer().createDatabase()))
      peer().stop()
      expect(await database.sessions.find('x')).toMatchObject(unavailable)
      expect(await database.ping()).toMatchObject(unavailable)
      await peer().start()
      expect(await database.sessions.find('x')).toStrictEqual(nothing)
      expect(await database.ping()).toStrictEqual({ ok: true, value: undefined })
      await database.close()
    })

    test('frozen: unavailable within the deadline, also for a new connection; thawed: works', async () => {
      const database = valueOf(await openDatabase(await peer().createDatabase()))
      peer().freeze()
      try {
        expect(await database.sessions.find('x')).toMatchObject(unavailable)
        expect(await database.sessions.find('x')).toMatchObject(unavailable)
        const many = await Promise.all(Array.from({ length: 30 }, () => database.ping()))
        expect(many).toMatchObject(Array.from({ length: 30 }, () => unavailable))
      } finally {
        peer().thaw()
      }
      expect(await database.sessions.find('x')).toStrictEqual(nothing)
      await database.close()
    })
  })
})

const [authority, otherAuthority] = [await makeAuthority(), await makeAuthority()]
describePostgres(
  'with TLS',
  (peer) => {
    // prettier-ignore
    test.each([
      ['the loopback, nothing named',           'localhost', '',                      'none',  false],
      ['another host, nothing named',           'HOST',      '',                      'none',  'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      ['another host, an empty mode',           'HOST',      '?sslmode=',             'none',  'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      ['another host, sslmode=require',         'HOST',      '?sslmode=require',      'none',  true],
      ['another host, sslmode=disable',         'HOST',      '?sslmode=disable',      'none',  false],
      ['another host, sslmode=verify-full',     'HOST',      '?sslmode=verify-full',  'none',  'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      ['its CA, its name',                      'localhost', '',                      'ca',    true],
      ['its CA, sslmode=require, its name',     'localhost', '?sslmode=require',      'ca',    true],
      ['its CA, another name',                  'HOST',      '',                      'ca',    'ERR_TLS_CERT_ALTNAME_INVALID'],
      ['its CA, sslmode=require, another name', 'HOST',      '?sslmode=require',      'ca',    'ERR_TLS_CERT_ALTNAME_INVALID'],
      ['its CA, verify-ca, another name',       'HOST',      '?sslmode=verify-ca',    'ca',    true],
      ['another CA',                            'localhost', '',                      'other', 'CERT_SIGNATURE_FAILURE'],
      ['another CA, sslmode=require',           'localhost', '?sslmode=require',      'other', 'CERT_SIGNATURE_FAILURE'],
      ['its CA, sslmode=disable',               'localhost', '?sslmode=disable',      'ca',    'the URL turns off the verification that DATABASE_CA_FILE is for'],
      ['its CA, sslmode=prefer',                'localhost', '?sslmode=prefer',       'ca',    'the URL turns off the verification that DATABASE_CA_FILE is for'],
    ] as const)('%s', async (_, host, parameters, root, expected) => {
      const name = host === 'HOST' ? ANOTHER_HOST : host
      const roots = { none: null, ca: authority.pem, other: otherAuthority.pem }[root]
      expect(await isEncrypted(named(peer().url, name) + parameters, roots)).toBe(expected)
    })
  },
  async (binaries) => startPostgres(binaries, await authority.issue(['db.example', 'localhost'])),
)
