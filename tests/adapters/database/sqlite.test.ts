import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSqlDatabase } from '#src/lib/adapters/database/sql.ts'
import { openSqlite } from '#src/lib/adapters/database/sqlite.ts'
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

function directory() {
  const path = mkdtempSync(join(tmpdir(), 'portico-sqlite-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

async function place() {
  const home = directory()
  const file = join(home.path, 'portico.db')
  return {
    file,
    url: `sqlite:${file}`,
    open: () => openDatabase(`sqlite:${file}`),
    async execute(statement: string) {
      await using sql = new Bun.SQL({ adapter: 'sqlite', filename: file })
      await sql.unsafe(statement)
    },
    async [Symbol.asyncDispose]() {
      home[Symbol.dispose]()
    },
  }
}

databaseContract('SQLite', place)
runStoreContract('SQLite', place, { isShared: false })
auditStoreContract('SQLite', place)
secretWriteStoreContract('SQLite', place)
writeTurnStoreContract('SQLite', place)
secretVersionStoreContract('SQLite', place)
requesterStoreContract('SQLite', place)
deployTokenStoreContract('SQLite', place)
rateLimitStoreContract('SQLite', place)

const row = (idHash: string, size = 8): SessionRow => ({
  kind: 'browser',
  idHash,
  issuer: 'i',
  subject: idHash,
  sid: null,
  createdAt: 1,
  seenAt: 1,
  expiresAt: 2,
  version: 1,
  keyId: 'k1',
  sealed: new Uint8Array(size),
  address: null,
  userAgent: null,
})

describe('SQLite', () => {
  test('makes its folder, and files that only the owner reads', async () => {
    using home = directory()
    const file = join(home.path, 'a', 'b', 'portico.db')
    const database = valueOf(await openDatabase(`sqlite:${file}`))
    for (const suffix of ['', '-wal', '-shm']) {
      expect(statSync(file + suffix).mode & 0o777).toBe(0o600)
    }
    expect(statSync(join(home.path, 'a', 'b')).mode & 0o777).toBe(0o700)
    await database.close()
  })

  test('writes ahead, waits for each write to reach the disk, and never waits for a lock in the driver', async () => {
    using home = directory()
    const engine = valueOf(await openSqlite(`sqlite:${join(home.path, 'x.db')}`))
    const pragma = async (name: string) =>
      Object.values(
        valueOf(
          await engine.run((sql) => sql.unsafe<Record<string, unknown>[]>(`PRAGMA ${name}`)),
        )[0] ?? {},
      )
    expect(await pragma('journal_mode')).toStrictEqual(['wal'])
    expect(await pragma('synchronous')).toStrictEqual([2])
    expect(await pragma('busy_timeout')).toStrictEqual([0])
    expect(await pragma('foreign_keys')).toStrictEqual([1])
    await engine.close()
  })

  test('in memory: each is its own', async () => {
    const [one, two] = [
      valueOf(await openDatabase('sqlite::memory:')),
      valueOf(await openDatabase('sqlite::memory:')),
    ]
    await one.sessions.insert(row('a'), 10)
    expect(await two.sessions.find('a')).toStrictEqual({ ok: true, value: null })
    await Promise.all([one.close(), two.close()])
  })

  test('full: writes and ping are unavailable, reads go on, and it recovers', async () => {
    using home = directory()
    const engine = valueOf(await openSqlite(`sqlite:${join(home.path, 'x.db')}`))
    const database = valueOf(await createSqlDatabase(engine))
    await database.sessions.insert(row('kept'), 10)
    const limit = (pages: number) =>
      engine.run((sql) => sql.unsafe(`PRAGMA max_page_count = ${pages}`))

    await limit(1)
    const full = {
      ok: false,
      error: { kind: 'database_unavailable', reason: 'SQLITE_FULL' },
    } as const
    expect(await database.sessions.insert(row('refused', 65_536), 10)).toStrictEqual(full)
    let filled = 0
    while ((await database.sessions.insert(row(`filler ${filled}`, 4000), 10)).ok) filled += 1
    expect(filled).toBeLessThan(10)
    expect(await database.ping()).toStrictEqual(full)
    expect(await database.sessions.find('kept')).toStrictEqual({ ok: true, value: row('kept') })

    await limit(100_000)
    expect(await database.ping()).toStrictEqual({ ok: true, value: undefined })
    expect(await database.sessions.find('refused')).toStrictEqual({ ok: true, value: null })
    await database.close()
  })

  test.each(['a statement', 'a transaction', 'the start'])(
    '%s waits for a lock while everything else goes on, so that who holds it can let go',
    async (what) => {
      await using at = await place()
      const database = valueOf(await at.open())
      await using other = new Bun.SQL({ adapter: 'sqlite', filename: at.file })
      await other.unsafe('BEGIN IMMEDIATE')
      setTimeout(() => void other.unsafe('ROLLBACK').execute(), 20)
      const waits =
        what === 'a statement'
          ? database.sessions.touch('a', 5)
          : what === 'a transaction'
            ? database.sessions.insert(row('a'), 10)
            : at.open()
      expect(await database.sessions.find('a')).toMatchObject({ ok: true })
      expect(await waits).toMatchObject({ ok: true })
      await database.close()
    },
  )

  test('locked by another process: unavailable after two seconds, then works again', async () => {
    await using at = await place()
    const database = valueOf(await at.open())
    const holder = Bun.spawn(
      [
        process.execPath,
        '-e',
        `
      import { Database } from 'bun:sqlite'
      const db = new Database(process.env.FILE)
      db.run('BEGIN IMMEDIATE')
      console.log('held')
      for await (const _ of process.stdin) {}
      db.run('ROLLBACK')
    `,
      ],
      { env: { ...process.env, FILE: at.file }, stdin: 'pipe', stdout: 'pipe' },
    )
    await holder.stdout.getReader().read()

    expect(await database.sessions.insert(row('a'), 10)).toStrictEqual({
      ok: false,
      error: { kind: 'database_unavailable', reason: 'SQLITE_BUSY' },
    })
    expect(await database.sessions.find('a')).toStrictEqual({ ok: true, value: null })

    await holder.stdin.end()
    await holder.exited
    expect(await database.sessions.insert(row('a'), 10)).toStrictEqual({
      ok: true,
      value: undefined,
    })
    await database.close()
  })

  test.each([
    ['removed', () => undefined],
    ['replaced', (file: string) => writeFileSync(file, '')],
  ])('a file that is %s while it runs is no place to write to', async (_, replace) => {
    await using at = await place()
    const database = valueOf(await at.open())
    rmSync(at.file)
    replace(at.file)
    expect(await database.ping()).toMatchObject({
      ok: false,
      error: { kind: 'database_unavailable' },
    })
    await database.close()
  })

  test('read-only: refused at the start', async () => {
    await using at = await place()
    await valueOf(await at.open()).close()
    expect(await openDatabase(`sqlite:${at.file}?mode=ro`)).toStrictEqual({
      ok: false,
      error: { kind: 'database_unavailable', reason: 'SQLITE_READONLY' },
    })
  })

  test('made read-only while it runs: writes are unavailable, reads go on', async () => {
    const engine = valueOf(await openSqlite('sqlite::memory:'))
    const database = valueOf(await createSqlDatabase(engine))
    await database.sessions.insert(row('a'), 10)
    await engine.run((sql) => sql.unsafe('PRAGMA query_only = ON'))
    const refused = {
      ok: false,
      error: { kind: 'database_unavailable', reason: 'SQLITE_READONLY' },
    } as const
    expect(await database.ping()).toStrictEqual(refused)
    expect(await database.sessions.touch('a', 5)).toStrictEqual(refused)
    expect(await database.sessions.find('a')).toStrictEqual({ ok: true, value: row('a') })
    await database.close()
  })

  test.each([
    ['no file', 'sqlite:', 'the URL names no file'],
    ['another database', 'mysql://localhost/x', 'the URL must begin with sqlite: or postgres:'],
    ['no scheme', 'portico.db', 'the URL must begin with sqlite: or postgres:'],
    ['a folder that is a file', 'sqlite:/dev/null/portico.db', 'EEXIST'],
  ])('a URL with %s is refused', async (_, url, reason) => {
    expect(await openDatabase(url)).toStrictEqual({
      ok: false,
      error: { kind: 'database_unavailable', reason },
    })
  })

  test('a file that is something else is refused', async () => {
    using home = directory()
    const file = join(home.path, 'x.db')
    writeFileSync(
      file,
      'not a database, but long enough to be taken for a header of one'.repeat(20),
    )
    expect(await openDatabase(`sqlite:${file}`)).toStrictEqual({
      ok: false,
      error: { kind: 'database_unavailable', reason: 'SQLITE_NOTADB' },
    })
  })
})
