import { beforeAll, describe, expect, test } from 'bun:test'
import { chmod, chown, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkDatabase } from '#src/lib/adapters/database/check/index.ts'
import { checkPostgres } from '#src/lib/adapters/database/check/postgres.ts'
import type { DatabaseToCheck } from '#src/lib/adapters/database/check/urls.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { pgbouncerBinary, startPgbouncer } from '#tests/peers/pgbouncer.ts'
import { describePostgres } from '#tests/peers/postgres.ts'
import { type Authority, makeAuthority } from '#tests/support/certificates.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const NO_LISTENING =
  'Without DATABASE_LISTEN_URL replicas learn of changes within a second. With it, leading to the server itself and not to a pooler, they learn of them at once.'

const check = (url: string, rest: Partial<DatabaseToCheck> = {}) =>
  checkDatabase({ url, listenUrl: null, authority: null, ...rest })
const failuresOf = async (findings: ReturnType<typeof check>) =>
  (await findings).filter(({ ok }) => !ok).map(({ text }) => text)

/** AuthenticationOk and ReadyForQuery, as to a password that is right. */
const SIGNED_IN = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
const PROTOCOL_3 = 196_608

test('a PostgreSQL that answers nothing any more keeps no connection', async () => {
  const ended = Promise.withResolvers<void>()
  using silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, data) {
        if (data.readUInt32BE(4) === PROTOCOL_3) socket.write(SIGNED_IN)
      },
      close: () => ended.resolve(),
    },
  })
  const server = `127.0.0.1:${silent.port}`
  const url = `postgres://portico:secret@${server}/portico?sslmode=disable`
  const findings = await checkPostgres({ url, listenUrl: null, authority: null }, 100)
  expect(findings.map(({ text }) => text)).toStrictEqual([
    `DATABASE_URL: PostgreSQL at ${server} does not answer in time.`,
  ])
  await ended.promise
})

describePostgres('checking a PostgreSQL', (peer) => {
  let server: string
  beforeAll(() => {
    server = new URL(peer().url).host
  })

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
  test('an empty database is fine, and stays empty', async () => {
    const url = await peer().createDatabase()
    expect(await check(url)).toStrictEqual([
      {
        ok: true,
        text: expect.stringMatching(
          /^portico may read, write and change tables in the schema public of PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\.$/,
        ),
      },
      { ok: true, text: 'The connection is not encrypted; it does not leave this machine.' },
      { ok: true, text: NO_LISTENING },
    ])
    await using sql = new Bun.SQL(url, { max: 1 })
    expect(await sql`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0)
  })

  test('one that was migrated is fine', async () => {
    const url = await peer().createDatabase()
    await migrate(url)
    expect(await failuresOf(check(url))).toStrictEqual([])
  })

  test('a notification that arrives proves that replicas learn of changes', async () => {
    const url = await peer().createDatabase()
    const findings = await check(url, { listenUrl: url })
    expect(findings.at(-1)).toStrictEqual({
      ok: true,
      text: 'Notifications reach DATABASE_LISTEN_URL: replicas learn of changes at once.',
    })
  })

  test('another database never gets the notifications', async () => {
    const [url, listenUrl] = [await peer().createDatabase(), await peer().createDatabase()]
    expect(await failuresOf(check(url, { listenUrl }))).toStrictEqual([
      expect.stringContaining('do not reach DATABASE_LISTEN_URL. It must lead to the database of'),
    ])
  })

  test('a listening URL that leads nowhere is named by its variable', async () => {
    const url = await peer().createDatabase()
    expect(
      await failuresOf(check(url, { listenUrl: 'postgres://portico@127.0.0.1:1/portico' })),
    ).toStrictEqual([
      expect.stringContaining(
        '127.0.0.1:1 cannot be reached: check the host name and port in DATABASE_LISTEN_URL',
      ),
    ])
  })

  test.each([
    [
      'nobody',
      (url: string) => as(url, 'nobody', 'hunter2'),
      'PostgreSQL refuses the role nobody: it does not exist, or pg_hba.conf does not let it in from here.',
    ],
    [
      'no database',
      (url: string) => `${url}_gone`,
      /^There is no database portico_\d+_gone on 127\.0\.0\.1:\d+\.$/,
    ],
    [
      'no name',
      (url: string) => url.replace('127.0.0.1', 'db.invalid'),
      /^db\.invalid:\d+ cannot be reached: check the host name and port in DATABASE_URL/,
    ],
    [
      'TLS that is not there',
      (url: string) => `${url}?sslmode=require`,
      /^127\.0\.0\.1:\d+ offers no TLS: switch it on there \(ssl = on\)\. .*\?sslmode=disable to DATABASE_URL\.$/,
    ],
    [
      'a mode that does not exist',
      (url: string) => `${url}?sslmode=full`,
      /^DATABASE_URL has a parameter that the driver does not know; sslmode is /,
    ],
  ])('says what is wrong: %s', async (_, change, expected) => {
    const url = change(await peer().createDatabase())
    const failures = await failuresOf(check(url))
    expect(failures).toStrictEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ])
    expect(failures.join()).not.toContain('hunter2')
  })

  test('a role that does not own the tables, and one that may not make any', async () => {
    const url = await peer().createDatabase()
    await migrate(url)
    await execute(
      url,
      'CREATE ROLE helper LOGIN',
      'GRANT ALL ON ALL TABLES IN SCHEMA public TO helper',
    )
    const mayNotCreate = 'helper may not make tables in the schema public: GRANT CREATE ON SCHEMA.'
    expect(await failuresOf(check(as(url, 'helper')))).toStrictEqual([mayNotCreate])
    // `serve` does not start either.
    expect((await openDatabase(as(url, 'helper'))).ok).toBe(false)
    await execute(url, 'GRANT CREATE ON SCHEMA public TO helper')
    expect(await failuresOf(check(as(url, 'helper')))).toStrictEqual([
      'helper does not own the tables in the schema public: ALTER TABLE … OWNER TO helper.',
    ])
  })

  test('a database that is set to read only, and a search path without a schema', async () => {
    const url = await peer().createDatabase()
    const name = new URL(url).pathname.slice(1)
    await execute(url, `ALTER DATABASE ${name} SET search_path = nowhere`)
    expect(await failuresOf(check(url))).toStrictEqual([
      'portico may not make tables in a schema of its search_path.',
    ])
    await execute(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    expect(await failuresOf(check(url))).toStrictEqual([
      expect.stringMatching(/takes no writes: .*default_transaction_read_only is on/),
    ])
  })

  test('tables of a later version', async () => {
    const url = await peer().createDatabase()
    await migrate(url)
    await execute(url, 'INSERT INTO schema_version (version) VALUES (1000)')
    expect(await failuresOf(check(url))).toStrictEqual([
      expect.stringMatching(/^The tables are of a later Portico \(schema 1000; this one has \d+\)/),
    ])
  })

  test('a frozen server does not answer, and a stopped one cannot be reached', async () => {
    const url = await peer().createDatabase()
    peer().freeze()
    try {
      expect(await failuresOf(check(url))).toStrictEqual([
        `${server} does not answer: it hangs, or a firewall or network policy is in between.`,
      ])
    } finally {
      peer().thaw()
    }
    peer().stop()
    try {
      expect(await failuresOf(check(url))).toStrictEqual([
        expect.stringContaining(`${server} cannot be reached: `),
      ])
    } finally {
      await peer().start()
    }
  })

  test.skipIf(pgbouncerBinary === null && !mustHaveAll)(
    'a pooler in transaction mode loses notifications',
    async () => {
      if (pgbouncerBinary === null) throw new Error('pgbouncer is not installed')
      const url = await peer().createDatabase()
      await using pooler = await startPgbouncer(pgbouncerBinary, url)
      const pooled = pooler.through(url)
      expect(await failuresOf(check(pooled, { listenUrl: url }))).toStrictEqual([])
      expect(await failuresOf(check(pooled, { listenUrl: pooled }))).toStrictEqual([
        expect.stringContaining('a pooler in transaction mode loses them'),
      ])
    },
  )

  test.skipIf(pgbouncerBinary === null && !mustHaveAll)(
    'a pooler that refuses is PostgreSQL that refuses',
    async () => {
      if (pgbouncerBinary === null) throw new Error('pgbouncer is not installed')
      const direct = await peer().createDatabase()
      await execute(direct, 'CREATE ROLE guest LOGIN')
      await using asking = await startPgbouncer(pgbouncerBinary, direct, 'scram-sha-256')
      await using trusting = await startPgbouncer(pgbouncerBinary, direct)
      const right = as(direct, 'portico', 'the right one')
      const [asked, trusted] = [asking.through(right), trusting.through(right)]
      expect(await failuresOf(check(asked))).toStrictEqual([])
      const refused = 'PostgreSQL refuses the password of the role portico in DATABASE_URL.'
      expect(await failuresOf(check(as(asked, 'portico', 'hunter2')))).toStrictEqual([refused])
      expect(await failuresOf(check(`${trusted}_gone`))).toStrictEqual([
        expect.stringMatching(/^There is no database portico_\d+_gone on 127\.0\.0\.1:\d+\.$/),
      ])
    },
  )

  describe('with TLS', () => {
    const folder = folderOfTests()
    let authority: Authority
    let url: string

    /** The server's certificate, and a role that has to come by TLS and with a password. */
    beforeAll(async () => {
      authority = await makeAuthority()
      url = await peer().createDatabase()
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
    })

    const tlsOf = async (findings: ReturnType<typeof check>) =>
      (await findings).find(({ text }) => text.includes('encrypted'))

    test('says whether the certificate is checked', async () => {
      expect(await tlsOf(check(url, { authority: authority.pem }))).toStrictEqual({
        ok: true,
        text: `The connection to ${server} is encrypted, and its certificate is checked.`,
      })
      for (const mode of ['require', 'disable']) {
        expect((await tlsOf(check(`${url}?sslmode=${mode}`)))?.text).toStartWith(
          `DATABASE_URL allows a connection to ${server} that is not encrypted, or goes to whoever answers:`,
        )
      }
    })

    test('an authority that this machine does not know, and the wrong one', async () => {
      const failure = `The certificate of ${server} is not signed by a trusted authority: DATABASE_CA_FILE must name the one that signed it.`
      expect(await failuresOf(check(`${url}?sslmode=verify-full`))).toStrictEqual([failure])
      const other = await makeAuthority()
      expect(await failuresOf(check(url, { authority: other.pem }))).toStrictEqual([failure])
    })

    test('a wrong password, which is not shown, and the right one', async () => {
      const wrong = await failuresOf(check(`${as(url, 'ann', 'hunter2')}?sslmode=require`))
      expect(wrong).toStrictEqual([
        'PostgreSQL refuses the password of the role ann in DATABASE_URL.',
      ])
      const right = `${as(url, 'ann', 'the right one')}?sslmode=require`
      expect(await failuresOf(check(right))).toStrictEqual([])
    })
  })
})
