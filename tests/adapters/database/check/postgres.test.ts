import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, chown, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDatabase } from '#src/lib/adapters/database/check/index.ts'
import type { DatabaseToCheck } from '#src/lib/adapters/database/check/postgres.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { TABLES } from '#src/lib/adapters/database/schema.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { pgbouncerBinary, startPgbouncer } from '#tests/peers/pgbouncer.ts'
import { type PostgresPeer, postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { type Authority, makeAuthority } from '#tests/support/certificates.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'

const START_MS = 60_000
const NO_LISTENING =
  'Without DATABASE_LISTEN_URL replicas ask the database for changes, and hear of one within a second; with the same URL there they hear of it at once.'

const check = (url: string, rest: Partial<DatabaseToCheck> = {}) =>
  checkDatabase({ url, listenUrl: null, authority: null, clock: systemClock, ...rest })
const failuresOf = async (findings: ReturnType<typeof check>) =>
  (await findings).filter(({ ok }) => !ok).map(({ text }) => text)

test('tables of all migrations and additions are known by name', () => {
  for (const name of ['session', 'run_event', 'used_token', 'schema_version'])
    expect(TABLES).toContain(name)
})

if (postgresBinaries === undefined) {
  test.skipIf(!mustHaveAll)('PostgreSQL is installed (Debian: apt-get install postgresql)', () => {
    expect(postgresBinaries).toBeDefined()
  })
} else {
  const binaries = postgresBinaries

  describe('checking a PostgreSQL', () => {
    let peer: PostgresPeer
    let server: string
    beforeAll(async () => {
      peer = await startPostgres(binaries)
      server = new URL(await peer.createDatabase()).host
    }, START_MS)
    afterAll(() => peer[Symbol.asyncDispose]())

    const execute = async (url: string, ...statements: readonly string[]) => {
      await using sql = new Bun.SQL(url, { max: 1 })
      for (const statement of statements) await sql.unsafe(statement)
    }
    const migrate = async (url: string) => {
      const opened = await openDatabase(url)
      if (!opened.ok) throw new Error(opened.error.reason)
      await opened.value.close()
    }
    /** The same database, as another role. */
    const as = (url: string, role: string, password = '') => {
      const other = new URL(url)
      other.username = role
      other.password = password
      return other.href
    }
    const relations = async (url: string) => {
      await using sql = new Bun.SQL(url, { max: 1 })
      return await sql<{ name: string }[]>`SELECT relname AS name FROM pg_class WHERE relkind = 'r'`
    }

    test('an empty database is fine, and stays empty', async () => {
      const url = await peer.createDatabase()
      const before = await relations(url)
      expect(await check(url)).toStrictEqual([
        {
          ok: true,
          text: expect.stringMatching(
            /^PostgreSQL \d+\.\d+ answers at 127\.0\.0\.1:\d+, as portico\.$/,
          ),
        },
        {
          ok: true,
          text: 'The schema public has no tables of Portico yet; the first start makes them.',
        },
        { ok: true, text: 'The connection is not encrypted; it does not leave this machine.' },
        { ok: true, text: NO_LISTENING },
      ])
      expect(await relations(url)).toStrictEqual(before)
    })

    test('one that was migrated is fine', async () => {
      const url = await peer.createDatabase()
      await migrate(url)
      const texts = (await check(url)).map(({ text }) => text)
      expect(texts).toContain('portico may read and write the tables in the schema public.')
      expect(await failuresOf(check(url))).toStrictEqual([])
    })

    test('a notice that arrives proves that replicas hear of each other', async () => {
      const url = await peer.createDatabase()
      const findings = await check(url, { listenUrl: url })
      expect(findings.at(-1)).toStrictEqual({
        ok: true,
        text: 'Notices of DATABASE_URL arrive at DATABASE_LISTEN_URL: replicas hear of changes at once.',
      })
    })

    test('another database never hears the notices', async () => {
      const [url, listenUrl] = [await peer.createDatabase(), await peer.createDatabase()]
      expect(await failuresOf(check(url, { listenUrl }))).toStrictEqual([
        expect.stringContaining('do not arrive at DATABASE_LISTEN_URL. It has to lead to the same'),
      ])
    })

    test('a listening URL that leads nowhere is named by its variable', async () => {
      const url = await peer.createDatabase()
      expect(
        await failuresOf(check(url, { listenUrl: 'postgres://portico@127.0.0.1:1/portico' })),
      ).toStrictEqual([
        'Nothing listens on 127.0.0.1:1: the connection is refused. Is PostgreSQL running, and is the port of DATABASE_LISTEN_URL right?',
      ])
    })

    test.each([
      [
        'nobody',
        (url: string) => as(url, 'nobody', 'hunter2'),
        'PostgreSQL refuses the role nobody: it does not exist, or no line of pg_hba.conf lets it in from here without TLS.',
      ],
      [
        'no database',
        (url: string) => `${url}_gone`,
        /^There is no database portico_\d+_gone on 127\.0\.0\.1:\d+\.$/,
      ],
      [
        'no name',
        (url: string) => url.replace('127.0.0.1', 'db.invalid'),
        'The host name db.invalid in DATABASE_URL cannot be resolved.',
      ],
      [
        'TLS that is not there',
        (url: string) => `${url}?sslmode=require`,
        /^DATABASE_URL asks for TLS, and the server 127\.0\.0\.1:\d+ offers none \(ssl = off\)\.$/,
      ],
      [
        'a mode that does not exist',
        (url: string) => `${url}?sslmode=full`,
        /^The driver does not know a parameter in DATABASE_URL; sslmode is one of/,
      ],
    ])('says what is wrong: %s', async (_, change, expected) => {
      const url = change(await peer.createDatabase())
      const failures = await failuresOf(check(url))
      expect(failures).toStrictEqual([
        typeof expected === 'string' ? expected : expect.stringMatching(expected),
      ])
      expect(failures.join()).not.toContain('hunter2')
    })

    test('what is no PostgreSQL is said not to be', async () => {
      using web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
      expect(
        await failuresOf(check(`postgres://portico@127.0.0.1:${web.port}/portico`)),
      ).toStrictEqual([`127.0.0.1:${web.port} answers, but not as PostgreSQL does.`])
    })

    test.each([
      [60_000, 'ahead of'],
      [-60_000, 'behind'],
    ])('a clock that is %i ms off', async (difference, side) => {
      const url = await peer.createDatabase()
      const clock = { now: () => Date.now() + difference }
      expect(await failuresOf(check(url, { clock }))).toStrictEqual([
        `The clock of this machine is 60 s ${side} that of the database server.`,
      ])
    })

    test('a role that reads only', async () => {
      const url = await peer.createDatabase()
      await migrate(url)
      await execute(
        url,
        'CREATE ROLE reader LOGIN',
        'GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader',
      )
      const [failure, ...others] = await failuresOf(check(as(url, 'reader')))
      expect(others).toStrictEqual([])
      expect(failure).toStartWith(
        'reader may not read and write these tables of the schema public:',
      )
      for (const table of ['audit', 'ping', 'run', 'session']) expect(failure).toContain(table)
    })

    test('a role that may not make the tables', async () => {
      const url = await peer.createDatabase()
      await execute(url, 'CREATE ROLE visitor LOGIN', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC')
      expect(await failuresOf(check(as(url, 'visitor')))).toStrictEqual([
        'visitor may not make tables in the schema public: GRANT CREATE ON SCHEMA.',
      ])
    })

    test('a database that is set to read only, and a search path without a schema', async () => {
      const url = await peer.createDatabase()
      const name = new URL(url).pathname.slice(1)
      await execute(url, `ALTER DATABASE ${name} SET search_path = nowhere`)
      expect(await failuresOf(check(url))).toStrictEqual([
        'The search_path of portico names no schema that exists.',
      ])
      await execute(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      expect(await failuresOf(check(url))).toStrictEqual([
        'Nothing can be written as portico: default_transaction_read_only is on.',
      ])
    })

    test('tables of a later version', async () => {
      const url = await peer.createDatabase()
      await migrate(url)
      await execute(url, 'INSERT INTO schema_version (version) VALUES (1000)')
      expect(await failuresOf(check(url))).toStrictEqual([
        expect.stringMatching(
          /^The tables are of a later Portico \(schema 1000; this one has \d+\)/,
        ),
      ])
    })

    test('tables of an earlier version, which this role may change', async () => {
      const url = await peer.createDatabase()
      await migrate(url)
      await execute(url, "DELETE FROM schema_addition WHERE name = 'used_token'")
      const texts = (await check(url)).map(({ text }) => text)
      expect(texts).toContain(
        'The first start of this version changes the tables in the schema public.',
      )
      expect(await failuresOf(check(url))).toStrictEqual([])
    })

    test('tables of an earlier version that belong to somebody else', async () => {
      const url = await peer.createDatabase()
      await migrate(url)
      await execute(
        url,
        "DELETE FROM schema_addition WHERE name = 'used_token'",
        'CREATE ROLE helper LOGIN',
        'GRANT ALL ON ALL TABLES IN SCHEMA public TO helper',
      )
      expect(await failuresOf(check(as(url, 'helper')))).toStrictEqual([
        expect.stringMatching(
          /^The first start of this version changes the tables, and helper does not own them:/,
        ),
      ])
    })

    test('a frozen server does not answer, and one that has stopped refuses', async () => {
      const url = await peer.createDatabase()
      peer.freeze()
      try {
        expect(await failuresOf(check(url))).toStrictEqual([
          `${server} accepts connections but does not answer.`,
        ])
      } finally {
        peer.thaw()
      }
      peer.stop()
      try {
        expect(await failuresOf(check(url))).toStrictEqual([
          `Nothing listens on ${server}: the connection is refused. Is PostgreSQL running, and is the port of DATABASE_URL right?`,
        ])
      } finally {
        await peer.start()
      }
    })

    test.skipIf(pgbouncerBinary === null && !mustHaveAll)(
      'a pooler in transaction mode is noticed, and notices through it get lost',
      async () => {
        if (pgbouncerBinary === null) throw new Error('pgbouncer is not installed')
        const url = await peer.createDatabase()
        await using pooler = await startPgbouncer(pgbouncerBinary, url)
        const pooled = pooler.through(url)
        const noticed = {
          ok: true,
          text: 'A pooler in transaction mode is in front of PostgreSQL (DATABASE_URL).',
        }
        const polled = await check(pooled)
        expect(polled).toContainEqual(noticed)
        expect(polled.at(-1)?.text).toContain('with the address of the server itself there')
        expect((await check(pooled, { listenUrl: url })).slice(-2)).toStrictEqual([
          noticed,
          {
            ok: true,
            text: 'Notices of DATABASE_URL arrive at DATABASE_LISTEN_URL: replicas hear of changes at once.',
          },
        ])
        expect(await failuresOf(check(pooled, { listenUrl: pooled }))).toStrictEqual([
          expect.stringContaining('a pooler in transaction mode loses them'),
        ])
      },
    )

    describe('with TLS', () => {
      let folder: string
      let authority: Authority
      let url: string

      /** The server's certificate, and a role that has to come by TLS and with a password. */
      beforeAll(async () => {
        authority = await makeAuthority()
        url = await peer.createDatabase()
        folder = await mkdtemp(join(tmpdir(), 'portico-certificate-'))
        await using sql = new Bun.SQL(url, { max: 1 })
        const [where] = await sql<{ hba: string }[]>`SELECT current_setting('hba_file') AS hba`
        const { uid, gid } = await stat(where?.hba ?? '')
        const { cert, key } = await authority.issue(['127.0.0.1'])
        await Bun.write(join(folder, 'certificate.pem'), cert)
        await Bun.write(join(folder, 'key.pem'), key)
        await chmod(join(folder, 'key.pem'), 0o600)
        for (const path of [folder, join(folder, 'key.pem')]) await chown(path, uid, gid)
        const rules = await Bun.file(where?.hba ?? '').text()
        await Bun.write(
          where?.hba ?? '',
          `hostssl all ann all scram-sha-256\nhostnossl all ann all reject\n${rules}`,
        )
        for (const statement of [
          `ALTER SYSTEM SET ssl_cert_file = '${folder}/certificate.pem'`,
          `ALTER SYSTEM SET ssl_key_file = '${folder}/key.pem'`,
          'ALTER SYSTEM SET ssl = on',
          "CREATE ROLE ann LOGIN PASSWORD 'the right one'",
          'GRANT CREATE ON SCHEMA public TO ann',
          'SELECT pg_reload_conf()',
        ])
          await sql.unsafe(statement)
        while ((await failuresOf(check(`${url}?sslmode=require`))).length > 0) await Bun.sleep(20)
      }, START_MS)
      afterAll(() => rm(folder, { recursive: true, force: true }))

      const tlsOf = async (findings: ReturnType<typeof check>) =>
        (await findings).find(({ text }) => text.includes('encrypted'))

      test('says whether the certificate is checked', async () => {
        expect(await tlsOf(check(url, { authority: authority.pem }))).toStrictEqual({
          ok: true,
          text: `The connection to ${server} is encrypted, its certificate checked.`,
        })
        expect(await tlsOf(check(`${url}?sslmode=require`))).toStrictEqual({
          ok: true,
          text: `The connection to ${server} is encrypted, but nobody checks the certificate: DATABASE_CA_FILE or sslmode=verify-full does.`,
        })
      })

      test('an authority that this machine does not know, and the wrong one', async () => {
        expect(await failuresOf(check(`${url}?sslmode=verify-full`))).toStrictEqual([
          `The certificate of ${server} is of an authority that this machine does not know: name it in DATABASE_CA_FILE.`,
        ])
        const other = await makeAuthority()
        expect(await failuresOf(check(url, { authority: other.pem }))).toStrictEqual([
          `The certificate of ${server} is not of the authority in DATABASE_CA_FILE.`,
        ])
      })

      test('a wrong password, which is not shown, and the right one', async () => {
        const wrong = await failuresOf(check(`${as(url, 'ann', 'hunter2')}?sslmode=require`))
        expect(wrong).toStrictEqual([
          'PostgreSQL refuses the password of the role ann in DATABASE_URL.',
        ])
        const right = `${as(url, 'ann', 'the right one')}?sslmode=require`
        expect(await failuresOf(check(right))).toStrictEqual([])
      })

      test('a role that the server takes by TLS only', async () => {
        expect(await failuresOf(check(as(url, 'ann', 'the right one')))).toStrictEqual([
          'PostgreSQL refuses the role ann: it does not exist, or no line of pg_hba.conf lets it in from here without TLS.',
        ])
      })
    })
  })
}
