import { afterEach, describe, expect, jest, test } from 'bun:test'
import type { Database } from '#src/lib/ports/database.ts'
import type { DatabaseFailure } from '#src/lib/ports/database/failure.ts'
import type { SessionRow, SessionSelector } from '#src/lib/ports/database/sessions.ts'
import type { Result } from '#src/lib/result.ts'
import { ALL_RECORDS } from '#tests/support/kept-audit.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** A place for one database: opened any number of times, it is the same data. */
export interface DatabasePlace extends AsyncDisposable {
  readonly url: string
  open(): Promise<Result<Database, DatabaseFailure>>
  /** Runs one statement behind the port's back. */
  execute(statement: string): Promise<void>
}

const done = { ok: true, value: undefined } as const
const T0 = Date.UTC(2026, 10, 21)
/** The columns of a session that every version writes. */
const COLUMNS =
  'id_hash, issuer, subject, sid, created_at, seen_at, expires_at, version, key_id, sealed'

const TABLES = [
  'session',
  'run',
  'run_event',
  'audit',
  'audit_address',
  'secret_write',
  'used_token',
  'generation',
  'rate_counter',
  'write_turn',
  'pull_request_asker',
  'secret_version',
  'moved_secret_file',
  'deploy_token',
  'grant_token',
  'audit_via',
  'last_done',
]

let rows = 0

function sessionRow(facts: Partial<SessionRow> = {}): SessionRow {
  rows += 1
  return {
    idHash: new Bun.CryptoHasher('sha256').update(`row ${rows}`).digest('hex'),
    kind: 'browser',
    issuer: 'https://id.example',
    subject: 'ada',
    sid: null,
    createdAt: T0,
    seenAt: T0,
    expiresAt: T0 + 36_000_000,
    version: 1,
    keyId: 'k1',
    sealed: new Uint8Array([1, 2, 3]),
    address: null,
    userAgent: null,
    ...facts,
  }
}

/** `place` gives an empty place, `tables` one that has been opened before, which is quicker. */
export function databaseContract(
  name: string,
  place: () => Promise<DatabasePlace>,
  tables: () => Promise<DatabasePlace> = place,
) {
  async function opened() {
    const at = await tables()
    const database = valueOf(await at.open())
    return {
      ...database,
      at,
      async [Symbol.asyncDispose]() {
        await database.close()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  describe(`${name} keeps the Database contract`, () => {
    test('a row comes back as it went in', async () => {
      await using database = await opened()
      const row = sessionRow({
        sid: 'sid-1',
        subject: "O'Brien; DROP TABLE session -- ünï \u{1F600}",
        address: '2001:db8::7',
        userAgent: 'Mozilla/5.0 (X11; ünï)',
      })
      expect(await database.sessions.insert(row, 10)).toStrictEqual(done)
      expect(await database.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
    })

    test('every byte value comes back, and an empty blob too', async () => {
      await using database = await opened()
      const sealed = new Uint8Array(16_384).map((_, index) => index % 256)
      for (const bytes of [sealed, new Uint8Array(0)]) {
        const row = sessionRow({ sealed: bytes })
        await database.sessions.insert(row, 10)
        expect(valueOf(await database.sessions.find(row.idHash))?.sealed).toStrictEqual(bytes)
      }
    })

    test.each([0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1])(
      'time %p is exact',
      async (time) => {
        await using database = await opened()
        const row = sessionRow({ createdAt: time, seenAt: time, expiresAt: time, version: time })
        await database.sessions.insert(row, 10)
        expect(await database.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
      },
    )

    test('a row that is not there is null, and to change it changes nothing', async () => {
      await using database = await opened()
      const { idHash } = sessionRow()
      expect(await database.sessions.find(idHash)).toStrictEqual({ ok: true, value: null })
      expect(await database.sessions.touch(idHash, T0)).toStrictEqual(done)
      expect(
        await database.sessions.reseal(idHash, 1, { keyId: 'k1', sealed: new Uint8Array(1) }),
      ).toStrictEqual({ ok: true, value: false })
      expect(await database.sessions.remove({ kind: 'session', idHash })).toStrictEqual({
        ok: true,
        value: 0,
      })
      expect(await database.sessions.find(idHash)).toStrictEqual({ ok: true, value: null })
    })

    test('a second row of one hash is refused, and the first stays', async () => {
      await using database = await opened()
      const row = sessionRow()
      await database.sessions.insert(row, 10)
      expect(await database.sessions.insert({ ...row, subject: 'mallory' }, 10)).toMatchObject({
        ok: false,
        error: { kind: 'database_unavailable' },
      })
      expect(await database.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
    })

    test('a refused write says codes, never what was written', async () => {
      await using database = await opened()
      const row = sessionRow({ subject: 'secret-subject', keyId: 'secret-key' })
      await database.sessions.insert(row, 10)
      const refused = await database.sessions.insert(row, 10)
      expect(refused.ok).toBe(false)
      expect(JSON.stringify(refused)).not.toMatch(new RegExp(`secret|INSERT|${row.idHash}`, 'i'))
    })

    describe('insert', () => {
      test('50 at once for one person keep exactly the 10 newest', async () => {
        await using database = await opened()
        const all = Array.from({ length: 50 }, (_, index) => sessionRow({ createdAt: T0 + index }))
        const inserted = await Promise.all(all.map((row) => database.sessions.insert(row, 10)))
        expect(inserted).toStrictEqual(all.map(() => done))
        const found = await Promise.all(all.map((row) => database.sessions.find(row.idHash)))
        expect(found.map((row) => valueOf(row))).toStrictEqual(
          all.map((row, index) => (index < 40 ? null : row)),
        )
      })

      test('of rows of one millisecond the new one stays', async () => {
        await using database = await opened()
        for (let round = 0; round < 12; round += 1) {
          const row = sessionRow()
          await database.sessions.insert(row, 1)
          expect(await database.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
        }
        expect(
          await database.sessions.remove({
            kind: 'person',
            issuer: 'https://id.example',
            subject: 'ada',
          }),
        ).toStrictEqual({ ok: true, value: 1 })
      })

      test('the limit is per issuer and subject', async () => {
        await using database = await opened()
        const others = [
          sessionRow({ subject: 'bob' }),
          sessionRow({ issuer: 'https://other.example' }),
        ]
        for (const row of [...others, sessionRow(), sessionRow()])
          await database.sessions.insert(row, 1)
        for (const row of others) {
          expect(await database.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
        }
      })

      test('a statement beside a refused insert is not rolled back with it', async () => {
        await using database = await opened()
        const row = sessionRow()
        const touched = sessionRow({ subject: 'bob' })
        await database.sessions.insert(row, 10)
        await database.sessions.insert(touched, 10)
        const outcomes = await Promise.all([
          database.sessions.insert(row, 10),
          ...Array.from({ length: 20 }, (_, index) =>
            Promise.resolve().then(() => database.sessions.touch(touched.idHash, T0 + index + 1)),
          ),
        ])
        expect(outcomes.map(({ ok }) => ok)).toStrictEqual([
          false,
          ...Array.from({ length: 20 }, () => true),
        ])
        expect(valueOf(await database.sessions.find(touched.idHash))?.seenAt).toBe(T0 + 20)
      })
    })

    test('touch moves seenAt forward and never back', async () => {
      await using database = await opened()
      const row = sessionRow()
      await database.sessions.insert(row, 10)
      const seenAfter = async (at: number) => {
        expect(await database.sessions.touch(row.idHash, at)).toStrictEqual(done)
        return valueOf(await database.sessions.find(row.idHash))
      }
      expect(await seenAfter(T0 + 60_000)).toStrictEqual({ ...row, seenAt: T0 + 60_000 })
      expect(await seenAfter(T0 + 59_999)).toStrictEqual({ ...row, seenAt: T0 + 60_000 })
      expect(await seenAfter(0)).toStrictEqual({ ...row, seenAt: T0 + 60_000 })
    })

    describe('reseal', () => {
      const fresh = { keyId: 'k2', sealed: new Uint8Array([9, 0, 255]) }

      test('replaces what is sealed and counts the version', async () => {
        await using database = await opened()
        const row = sessionRow({ version: 7 })
        await database.sessions.insert(row, 10)
        expect(await database.sessions.reseal(row.idHash, 7, fresh)).toStrictEqual({
          ok: true,
          value: true,
        })
        expect(await database.sessions.find(row.idHash)).toStrictEqual({
          ok: true,
          value: { ...row, ...fresh, version: 8 },
        })
      })

      test('of a stale version changes nothing', async () => {
        await using database = await opened()
        const row = sessionRow({ version: 7 })
        await database.sessions.insert(row, 10)
        for (const stale of [6, 8]) {
          expect(await database.sessions.reseal(row.idHash, stale, fresh)).toStrictEqual({
            ok: true,
            value: false,
          })
        }
        expect(await database.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
      })

      test('20 at once with one version: exactly one wins', async () => {
        await using database = await opened()
        const row = sessionRow()
        await database.sessions.insert(row, 10)
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            database.sessions.reseal(row.idHash, 1, {
              keyId: 'k2',
              sealed: new Uint8Array([index]),
            }),
          ),
        )
        const winners = outcomes.flatMap((outcome, index) => (valueOf(outcome) ? [index] : []))
        expect(winners).toHaveLength(1)
        expect(await database.sessions.find(row.idHash)).toStrictEqual({
          ok: true,
          value: { ...row, keyId: 'k2', sealed: new Uint8Array(winners), version: 2 },
        })
      })
    })

    describe('remove', () => {
      const ada1 = sessionRow({ sid: 'one' })
      const ada2 = sessionRow({ sid: 'two', expiresAt: T0 + 1000 })
      const adaElsewhere = sessionRow({ sid: 'one', issuer: 'https://other.example' })
      const bob = sessionRow({ subject: 'bob', seenAt: T0 - 1000 })

      const ada = { issuer: ada1.issuer, subject: 'ada' }

      // prettier-ignore
      test.each<[string, SessionSelector, readonly SessionRow[]]>([
        ['by hash',                        { kind: 'session', idHash: ada1.idHash },                         [ada1]],
        ["a person's own",                 { kind: 'own', ...ada, idHash: ada1.idHash },                     [ada1]],
        ["another person's as their own",  { kind: 'own', ...ada, idHash: bob.idHash },                      []],
        ["another issuer's as their own",  { kind: 'own', ...ada, idHash: adaElsewhere.idHash },             []],
        ["a person's others",              { kind: 'others', ...ada, idHash: ada1.idHash },                  [ada2]],
        ["all, beside a stranger's",       { kind: 'others', ...ada, idHash: bob.idHash },                   [ada1, ada2]],
        ['of a person at one issuer',      { kind: 'person', issuer: ada1.issuer, subject: 'ada' },          [ada1, ada2]],
        ['of one sign-in at one issuer',   { kind: 'sign_in', issuer: ada1.issuer, sid: 'one', subject: null },   [ada1]],
        ['of one sign-in of a person',     { kind: 'sign_in', issuer: ada1.issuer, sid: 'one', subject: 'ada' },  [ada1]],
        ["another person's sign-in",       { kind: 'sign_in', issuer: ada1.issuer, sid: 'one', subject: 'bob' },  []],
        ['of an unknown sign-in',          { kind: 'sign_in', issuer: ada1.issuer, sid: 'three', subject: null }, []],
        ['expired at that moment',         { kind: 'over', expiredAt: T0 + 1000, seenBefore: { browser: T0 - 1001, grant: T0 - 1001 } },    [ada2]],
        ['expired a millisecond later',    { kind: 'over', expiredAt: T0 + 999, seenBefore: { browser: T0 - 1001, grant: T0 - 1001 } },     []],
        ['last seen at that moment',       { kind: 'over', expiredAt: T0, seenBefore: { browser: T0 - 1000, grant: T0 - 1000 } },           [bob]],
        ['expired or idle',                { kind: 'over', expiredAt: T0 + 1000, seenBefore: { browser: T0 - 1000, grant: T0 - 1000 } },    [ada2, bob]],
      ])('%s', async (_, which, gone) => {
        await using database = await opened()
        const all = [ada1, ada2, adaElsewhere, bob]
        for (const row of all) await database.sessions.insert(row, 10)
        expect(await database.sessions.remove(which)).toStrictEqual({ ok: true, value: gone.length })
        const left = await Promise.all(all.map((row) => database.sessions.find(row.idHash)))
        expect(left.map((row) => valueOf(row))).toStrictEqual(all.map((row) => (gone.includes(row) ? null : row)))
      })
    })

    test('the rows of a person at one issuer are listed, newest first', async () => {
      await using database = await opened()
      const older = sessionRow({ sid: 'one', address: '192.0.2.1', userAgent: 'curl/8' })
      const newer = sessionRow({ createdAt: T0 + 1 })
      const others = [
        sessionRow({ subject: 'bob' }),
        sessionRow({ issuer: 'https://other.example' }),
      ]
      for (const row of [older, ...others, newer]) await database.sessions.insert(row, 10)
      const listed = ({
        version: _version,
        keyId: _keyId,
        sealed: _sealed,
        ...facts
      }: SessionRow) => facts
      expect(
        await database.sessions.list({ issuer: 'https://id.example', subject: 'ada' }),
      ).toStrictEqual({ ok: true, value: [listed(newer), listed(older)] })
      expect(
        await database.sessions.list({ issuer: 'https://id.example', subject: 'eve' }),
      ).toStrictEqual({ ok: true, value: [] })
    })

    test('living answers the times of the rows that exist', async () => {
      await using database = await opened()
      const [one, two, gone] = [sessionRow(), sessionRow({ seenAt: T0 + 5 }), sessionRow()]
      for (const row of [one, two, gone]) await database.sessions.insert(row, 10)
      await database.sessions.remove({ kind: 'session', idHash: gone.idHash })
      const made = Array.from({ length: 12_000 }, (_, index) => `absent ${index}`)
      const living = await database.sessions.living([gone.idHash, one.idHash, ...made, two.idHash])
      expect(valueOf(living)).toStrictEqual(
        new Map([
          [one.idHash, { kind: 'browser', seenAt: T0, expiresAt: one.expiresAt }],
          [two.idHash, { kind: 'browser', seenAt: T0 + 5, expiresAt: two.expiresAt }],
        ]),
      )
      expect(valueOf(await database.sessions.living([]))).toStrictEqual(new Map())
    })

    test('grants and browser sessions of a person have limits and idle times of their own', async () => {
      await using database = await opened()
      const browser = sessionRow({ createdAt: T0 })
      const [old, young] = [1, 2].map((ms) => sessionRow({ kind: 'grant', createdAt: T0 + ms }))
      for (const row of [browser, old, young]) if (row) await database.sessions.insert(row, 1)
      const listed = valueOf(await database.sessions.list(browser))
      expect(listed.map(({ idHash, kind }) => [idHash, kind])).toStrictEqual([
        [String(young?.idHash), 'grant'],
        [browser.idHash, 'browser'],
      ])
      const over = (ofBrowsers: number, ofGrants: number) =>
        database.sessions.remove({
          kind: 'over',
          expiredAt: T0,
          seenBefore: { browser: ofBrowsers, grant: ofGrants },
        })
      expect(valueOf(await over(T0 - 1, T0 - 1))).toBe(0)
      expect(valueOf(await over(T0, T0 - 1))).toBe(1)
      expect(valueOf(await over(T0, T0))).toBe(1)
    })

    test('living grants are counted by the kind of their client', async () => {
      await using database = await opened()
      const { sessions } = database
      const grant = { kind: 'grant', seenAt: T0, expiresAt: T0 + 100 } as const
      for (const clientKind of ['cli', 'cli', 'workload'] as const) {
        await sessions.insert(sessionRow({ ...grant, clientKind }), 10)
      }
      await sessions.insert(sessionRow({ seenAt: T0, expiresAt: T0 + 100 }), 10)
      const counts = async (now: number, seenAfter: number) =>
        valueOf(await sessions.countGrants(now, seenAfter))
      expect(await counts(T0 + 99, T0 - 1)).toStrictEqual({ cli: 2, agent: 0, workload: 1 })
      for (const [now, seenAfter] of [
        [T0 + 100, T0 - 1],
        [T0, T0],
      ] as const) {
        expect(await counts(now, seenAfter)).toStrictEqual({ cli: 0, agent: 0, workload: 0 })
      }
    })

    test('a logout may leave the grants of a person, or of a sign-in', async () => {
      await using database = await opened()
      const { issuer, subject } = sessionRow()
      const owners = [
        { kind: 'person', issuer, subject },
        { kind: 'sign_in', issuer, sid: 'sid-1', subject: null },
      ] as const
      for (const owner of owners) {
        for (const kind of ['browser', 'grant'] as const) {
          await database.sessions.insert(sessionRow({ kind, sid: 'sid-1' }), 10)
        }
        expect(valueOf(await database.sessions.remove({ ...owner, only: 'browser' }))).toBe(1)
        expect(valueOf(await database.sessions.remove(owner))).toBe(1)
      }
    })

    describe('tokens of grants', () => {
      const token = (hash: string, kind: 'access' | 'refresh' | 'code' = 'refresh') =>
        ({ hash, kind, expiresAt: T0 }) as const

      test('are found, used once in favour of others, and forgotten at their time', async () => {
        await using database = await opened()
        const { grantTokens, sessions } = database
        const grant = sessionRow({ kind: 'grant' })
        await sessions.insert(grant, 10)
        expect(valueOf(await grantTokens.issue(grant.idHash, [token('code', 'code')]))).toBe(true)
        expect(valueOf(await grantTokens.find('code'))).toStrictEqual({
          ...token('code', 'code'),
          grantId: grant.idHash,
        })
        const later = [token('access', 'access'), token('refresh')]
        expect(
          valueOf(await grantTokens.issue(grant.idHash, later, { hash: 'code', at: T0 + 7 })),
        ).toBe(true)
        expect(valueOf(await grantTokens.find('code'))).toBeNull()
        expect(
          valueOf(
            await grantTokens.issue(grant.idHash, [token('other')], { hash: 'code', at: T0 + 9 }),
          ),
        ).toBe(false)
        expect(valueOf(await grantTokens.find('other'))).toBeNull()
        expect(valueOf(await sessions.find(grant.idHash))?.seenAt).toBe(T0 + 7)
        expect(valueOf(await grantTokens.sweep(T0 - 1))).toBe(0)
        expect(valueOf(await grantTokens.sweep(T0))).toBe(2)
      })

      test('20 uses of one at once: exactly one wins', async () => {
        await using database = await opened()
        const grant = sessionRow({ kind: 'grant' })
        await database.sessions.insert(grant, 10)
        await database.grantTokens.issue(grant.idHash, [token('used')])
        const used = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            database.grantTokens.issue(grant.idHash, [token(`new ${index}`)], {
              hash: 'used',
              at: T0,
            }),
          ),
        )
        expect(used.filter((result) => valueOf(result))).toHaveLength(1)
      })

      test('go with their grant, and none is added afterwards', async () => {
        await using database = await opened()
        const [grant, other] = [sessionRow({ kind: 'grant' }), sessionRow({ kind: 'grant' })]
        for (const row of [grant, other]) await database.sessions.insert(row, 10)
        await database.grantTokens.issue(grant.idHash, [token('one')])
        expect(
          valueOf(await database.grantTokens.issue(other.idHash, [], { hash: 'one', at: T0 })),
        ).toBe(false)
        await database.sessions.remove({ kind: 'session', idHash: grant.idHash })
        expect(valueOf(await database.grantTokens.find('one'))).toBeNull()
        expect(valueOf(await database.grantTokens.issue(grant.idHash, [token('two')]))).toBe(false)
      })
    })

    describe('used tokens', () => {
      test('SEC-O8 20 uses of one id at once: exactly one wins', async () => {
        await using database = await opened()
        const { usedTokens } = database
        expect(await usedTokens.isUsed('a')).toStrictEqual({ ok: true, value: false })
        const uses = await Promise.all(
          Array.from({ length: 20 }, () => usedTokens.use('a', T0 + 60_000)),
        )
        expect(uses.filter((use) => valueOf(use))).toHaveLength(1)
        expect(await usedTokens.isUsed('a')).toStrictEqual({ ok: true, value: true })
        expect(await usedTokens.isUsed('b')).toStrictEqual({ ok: true, value: false })
      })

      test('are forgotten when their time is over by the slowest clock, and no earlier', async () => {
        await using database = await opened()
        const { usedTokens } = database
        await usedTokens.use('short', T0)
        await usedTokens.use('long', T0 + 1)
        const late = T0 + 5 * 60_000
        expect(await usedTokens.sweep(late - 1)).toStrictEqual({ ok: true, value: 0 })
        expect(await usedTokens.sweep(late)).toStrictEqual({ ok: true, value: 1 })
        expect(await usedTokens.isUsed('short')).toStrictEqual({ ok: true, value: false })
        expect(await usedTokens.use('long', T0 + 9)).toStrictEqual({ ok: true, value: false })
      })
    })

    describe('generations', () => {
      afterEach(() => void jest.useRealTimers())

      /** Two processes, whose polls come only with `poll`. */
      async function two() {
        const at = await place()
        const [here, there] = [valueOf(await at.open()), valueOf(await at.open())]
        jest.useFakeTimers()
        return {
          here,
          there,
          poll: async () => {
            jest.advanceTimersByTime(400)
            // An advance waits for its turn, which is after the poll.
            await here.generations.advance('turn')
          },
          async [Symbol.asyncDispose]() {
            jest.useRealTimers()
            await Promise.all([here.close(), there.close()])
            await at[Symbol.asyncDispose]()
          },
        }
      }

      test("another process's advances are told, this one's are not", async () => {
        await using at = await two()
        const { here, there, poll } = at
        const told: string[] = []
        here.generations.follow('catalog', () => told.push('catalog'))
        here.generations.follow('other', () => told.push('other'))
        expect(await here.generations.advance('catalog')).toStrictEqual(done)
        await poll()
        expect(told).toStrictEqual([])

        await there.generations.advance('catalog')
        await poll()
        expect(told).toStrictEqual(['catalog'])
      })

      test("another's advance between two of this process is told", async () => {
        await using at = await two()
        const { here, there } = at
        let told = 0
        await here.generations.advance('catalog')
        here.generations.follow('catalog', () => (told += 1))
        await there.generations.advance('catalog')
        await here.generations.advance('catalog')
        expect(told).toBe(1)
      })

      test('what was advanced before the following and after the opening is told', async () => {
        await using at = await two()
        const { here, there, poll } = at
        await there.generations.advance('catalog')
        let told = 0
        here.generations.follow('catalog', () => (told += 1))
        await poll()
        expect(told).toBe(1)
      })

      test('nothing is told after the end of the following', async () => {
        await using at = await two()
        const { here, there, poll } = at
        let told = 0
        const stop = here.generations.follow('catalog', () => (told += 1))
        stop()
        await there.generations.advance('catalog')
        await poll()
        expect(told).toBe(0)
      })
    })

    test('10,000 rows: each is found, and all are swept', async () => {
      await using database = await opened()
      const template = sessionRow()
      await database.at.execute(
        name.startsWith('PostgreSQL')
          ? `INSERT INTO session (${COLUMNS}) SELECT 'h' || n, 'i', 's' || n, NULL, n, n, n, 1, 'k1', '\\x00ff'::bytea FROM generate_series(1, 10000) AS n`
          : `INSERT INTO session (${COLUMNS}) WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 10000) SELECT 'h' || n, 'i', 's' || n, NULL, n, n, n, 1, 'k1', x'00ff' FROM s`,
      )
      await database.sessions.insert(template, 10)
      expect(valueOf(await database.sessions.find('h7777'))).toMatchObject({
        subject: 's7777',
        createdAt: 7777,
        sealed: new Uint8Array([0, 255]),
      })
      expect(
        await database.sessions.remove({
          kind: 'over',
          expiredAt: 10_000,
          seenBefore: { browser: 0, grant: 0 },
        }),
      ).toStrictEqual({
        ok: true,
        value: 10_000,
      })
      expect(await database.sessions.find(template.idHash)).toStrictEqual({
        ok: true,
        value: template,
      })
    })

    test('ping fails while any table is gone', async () => {
      await using database = await opened()
      for (const table of TABLES) {
        await database.at.execute(`ALTER TABLE ${table} RENAME TO elsewhere`)
        expect(await database.ping(), table).toMatchObject({
          ok: false,
          error: { kind: 'database_unavailable' },
        })
        await database.at.execute(`ALTER TABLE elsewhere RENAME TO ${table}`)
      }
      expect(await database.ping()).toStrictEqual(done)
    })

    test('ping answers, and leaves nothing behind', async () => {
      await using database = await opened()
      expect(await Promise.all([database.ping(), database.ping(), database.ping()])).toStrictEqual([
        done,
        done,
        done,
      ])
      // A row left behind makes this statement fail.
      await database.at.execute('INSERT INTO schema_version SELECT 1 FROM session')
    })

    test('what was written is there after it is opened again', async () => {
      await using at = await place()
      const row = sessionRow()
      const first = valueOf(await at.open())
      await first.sessions.insert(row, 10)
      await first.close()
      const second = valueOf(await at.open())
      expect(await second.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
      await second.close()
    })

    test('a call after close is a value', async () => {
      await using at = await place()
      const database = valueOf(await at.open())
      await database.close()
      const refused = { ok: false, error: { kind: 'database_unavailable' } }
      expect(await database.sessions.find('x')).toMatchObject(refused)
      expect(await database.sessions.insert(sessionRow(), 10)).toMatchObject(refused)
      expect(await database.ping()).toMatchObject(refused)
    })

    test('five processes that open it at once make the tables once and share the rows', async () => {
      await using at = await place()
      const processes = Array.from({ length: 5 }, () =>
        Bun.spawn(
          [
            process.execPath,
            new URL('../peers/write-session.ts', import.meta.url).pathname,
            at.url,
          ],
          {
            stdout: 'pipe',
            stderr: 'inherit',
          },
        ),
      )
      const written = await Promise.all(processes.map((child) => child.stdout.text()))
      const database = valueOf(await at.open())
      for (const idHash of written) {
        expect(valueOf(await database.sessions.find(idHash))).toMatchObject({ idHash })
      }
      await database.close()
    })

    test('a database of a newer version is refused, and left as it is', async () => {
      await using at = await place()
      await valueOf(await at.open()).close()
      await at.execute('INSERT INTO schema_version (version) VALUES (1000)')
      expect(await at.open()).toStrictEqual({
        ok: false,
        error: {
          kind: 'database_unavailable',
          reason: "schema 1000 is newer than this version's 3",
        },
      })
    })

    test('a database that grew is good for the version before: its rows and statements work', async () => {
      await using at = await place()
      const database = valueOf(await at.open())
      // Fails when the version grew: the version before would refuse it.
      await at.execute(
        'INSERT INTO schema_version SELECT 1 WHERE (SELECT MAX(version) FROM schema_version) > 3',
      )
      await at.execute(
        `INSERT INTO session (${COLUMNS}) VALUES ('old', 'i', 's', NULL, 1, 2, 3, 4, 'k1', ${name.startsWith('PostgreSQL') ? "'\\x00ff'" : "x'00ff'"})`,
      )
      await at.execute(
        `INSERT INTO audit (id, at, issuer, subject, name, action, target, team, result, code, groups, revision, request_id, details)
         VALUES ('00000000-0000-7000-8000-000000000000', 1, 'i', 's', 'n', 'a', 't', NULL, 'allowed', NULL, '[]', NULL, 'r', '{}')`,
      )
      expect(valueOf(await database.sessions.find('old'))).toStrictEqual({
        idHash: 'old',
        kind: 'browser',
        issuer: 'i',
        subject: 's',
        sid: null,
        createdAt: 1,
        seenAt: 2,
        expiresAt: 3,
        version: 4,
        keyId: 'k1',
        sealed: new Uint8Array([0, 255]),
        address: null,
        userAgent: null,
      })
      const records = valueOf(await database.audit.list(ALL_RECORDS))
      expect(records.map(({ address }) => address)).toStrictEqual([null])
      await database.close()
    })

    test('a database of the version before grows, and its rows stay', async () => {
      await using at = await place()
      const row = sessionRow()
      const first = valueOf(await at.open())
      await first.sessions.insert(row, 10)
      await first.close()
      for (const statement of [
        'DROP TABLE schema_addition',
        'DROP TABLE audit_address',
        'DROP INDEX audit_target',
        'DROP INDEX audit_subject',
        'DROP TABLE used_token',
        'DROP TABLE generation',
        'DROP TABLE rate_counter',
        'DROP TABLE proposal',
        'DROP TABLE write_turn',
        'DROP TABLE pull_request_asker',
        'DROP TABLE secret_version',
        'DROP TABLE moved_secret_file',
        'DROP TABLE deploy_token',
        'DROP TABLE grant_token',
        'DROP TABLE audit_via',
        'DROP TABLE last_done',
        'ALTER TABLE session DROP COLUMN kind',
        'ALTER TABLE session DROP COLUMN client_kind',
        'ALTER TABLE session DROP COLUMN address',
        'ALTER TABLE session DROP COLUMN user_agent',
        'ALTER TABLE secret_write DROP COLUMN written_version',
      ]) {
        await at.execute(statement)
      }
      const grown = valueOf(await at.open())
      expect(await grown.sessions.find(row.idHash)).toStrictEqual({ ok: true, value: row })
      expect(await grown.usedTokens.use('a', T0)).toStrictEqual({ ok: true, value: true })
      await grown.close()
    })

    test('a migration that fails leaves nothing half made', async () => {
      await using at = await place()
      await at.execute('CREATE TABLE ping (id INTEGER)')
      expect(await at.open()).toMatchObject({ ok: false, error: { kind: 'database_unavailable' } })
      await at.execute('DROP TABLE ping')
      await valueOf(await at.open()).close()
    })
  })
}
