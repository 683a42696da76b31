import { describe, expect, test } from 'bun:test'
import type { AuditRow } from '#src/lib/ports/database/audit.ts'
import { ALL_RECORDS as ALL } from '#tests/support/kept-audit.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

const T0 = Date.UTC(2026, 10, 21)

const auditRow = (facts: Partial<AuditRow> = {}): AuditRow => ({
  id: Bun.randomUUIDv7(),
  at: T0,
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  action: 'promotion.propose',
  target: 'component/shop',
  team: 'payments',
  result: 'allowed',
  code: null,
  groups: '["payments"]',
  revision: null,
  requestId: 'request-1',
  details: '{}',
  address: null,
  via: null,
  ...facts,
})

const done = { ok: true, value: undefined } as const
const lost = { ok: true, value: false } as const

/** `place` gives an empty place. */
export function auditStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  async function opened() {
    const at = await place()
    const database = valueOf(await at.open())
    return {
      audit: database.audit,
      at,
      async [Symbol.asyncDispose]() {
        await database.close()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  describe(`${name} keeps the AuditStore contract`, () => {
    test('rows come back as they went in', async () => {
      await using place = await opened()
      const { audit } = place
      const bare = auditRow({ team: null, at: 2 ** 53 - 1 })
      const full = auditRow({
        name: "O'Brien; DROP TABLE audit -- ünï \u{1F600}",
        result: 'denied',
        code: 'forbidden',
        groups: '[]',
        revision: 'f'.repeat(40),
        details: JSON.stringify({ 'a"b\0': ["'", { c: 1.5 }] }),
        address: '2001:db8::7',
        via: '{"kind":"cli"}',
      })
      for (const row of [bare, full]) expect(await audit.append(row)).toStrictEqual(done)
      expect(valueOf(await audit.list(ALL))).toStrictEqual([full, bare])
      expect(valueOf(await audit.find(full.id))).toStrictEqual(full)
      expect(valueOf(await audit.find(Bun.randomUUIDv7()))).toBeNull()
    })

    test.each(['allowed', 'denied', 'started', 'done', 'failed'] as const)(
      'the result %p comes back',
      async (result) => {
        await using place = await opened()
        await place.audit.append(auditRow({ result }))
        expect(valueOf(await place.audit.list(ALL)).map((row) => row.result)).toStrictEqual([
          result,
        ])
      },
    )

    test('a second row of one id is refused without its words, and the first stays', async () => {
      await using place = await opened()
      const row = auditRow()
      await place.audit.append(row)
      const refused = await place.audit.append({ ...row, subject: 'mallory', result: 'denied' })
      expect(refused).toMatchObject({ ok: false, error: { kind: 'database_unavailable' } })
      expect(JSON.stringify(refused)).not.toMatch(new RegExp(`mallory|INSERT|${row.id}`, 'i'))
      expect(valueOf(await place.audit.list(ALL))).toStrictEqual([row])
    })

    test('newest first by id, whatever the time says and in whatever order they came', async () => {
      await using place = await opened()
      const ids = Array.from({ length: 40 }, () => Bun.randomUUIDv7())
      const shuffled = ids.toSorted((a, b) => a.slice(-12).localeCompare(b.slice(-12)))
      await Promise.all(
        shuffled.map((id, index) => place.audit.append(auditRow({ id, at: T0 - index }))),
      )
      expect(valueOf(await place.audit.list(ALL)).map((row) => row.id)).toStrictEqual(
        ids.toReversed(),
      )
    })

    test('a page after the other gives every row once, also while rows are added', async () => {
      await using place = await opened()
      const { audit } = place
      const rows = Array.from({ length: 7 }, () => auditRow())
      for (const row of rows) await audit.append(row)
      const seen: string[] = []
      let before: string | null = null
      for (;;) {
        const page: readonly AuditRow[] = valueOf(await audit.list({ ...ALL, before, limit: 3 }))
        expect(page.length).toBeLessThanOrEqual(3)
        seen.push(...page.map((row) => row.id))
        before = page.at(-1)?.id ?? null
        if (before === null) break
        await audit.append(auditRow())
      }
      expect(seen).toStrictEqual(rows.map((row) => row.id).toReversed())
    })

    test('of a team: exactly its rows, and those of no team never', async () => {
      await using place = await opened()
      const { audit } = place
      const teams = ['payments', null, 'Payments', 'payments-x', 'shipping', 'payments']
      const rows = teams.map((team) => auditRow({ team }))
      for (const row of rows) await audit.append(row)
      const idsOf = async (filter: Partial<Parameters<typeof audit.list>[0]>) =>
        valueOf(await audit.list({ ...ALL, ...filter })).map((row) => row.id)
      const [first, , , , , last] = rows
      if (first === undefined || last === undefined) throw new Error('no rows')
      expect(await idsOf({ team: 'payments' })).toStrictEqual([last.id, first.id])
      expect(await idsOf({ team: 'payments', limit: 1 })).toStrictEqual([last.id])
      expect(await idsOf({ team: 'payments', before: last.id })).toStrictEqual([first.id])
      expect(await idsOf({ team: 'payments', before: first.id })).toStrictEqual([])
      expect(await idsOf({ team: '' })).toStrictEqual([])
      expect(await idsOf({})).toHaveLength(6)
    })

    test.each([
      ['about a target', { target: 'component/shop' }, ['a', 'c', 'd']],
      ['of an actor', { subject: 'bob' }, ['b', 'c']],
      ['of an action', { action: 'promotion.propose' }, ['a', 'b']],
      ['of all actions of a kind', { action: 'promotion' }, ['a', 'b', 'c']],
      ['of all actions but those of a kind', { without: 'promotion' }, ['d']],
      [
        'of a kind without one action',
        { action: 'promotion', without: 'promotion.confirm' },
        ['a', 'b'],
      ],
      ['of no part of a name', { action: 'promotion.pro' }, []],
      ['of nothing that is read as a pattern', { action: 'promotion%' }, []],
      ['of a text that is quoted', { target: "shop' OR '1'='1" }, []],
      [
        'with all of it',
        { team: 'payments', target: 'component/shop', subject: 'bob', action: 'promotion' },
        ['c'],
      ],
    ] as const)('those %s', async (_, filter, expected) => {
      await using place = await opened()
      const { audit } = place
      const propose = 'promotion.propose'
      const rows = {
        a: auditRow({ action: propose }),
        b: auditRow({ action: propose, target: 'component/shop-api', subject: 'bob' }),
        c: auditRow({ action: 'promotion.confirm', subject: 'bob' }),
        d: auditRow({ action: 'scaffold.start', team: null }),
      }
      for (const row of Object.values(rows)) await audit.append(row)
      const found = valueOf(await audit.list({ ...ALL, ...filter })).map(({ id }) => id)
      expect(found.toReversed()).toStrictEqual(expected.map((name) => rows[name].id))
    })

    test('one whose effects are under way gets facts, and an outcome once', async () => {
      await using place = await opened()
      const { audit } = place
      const [row, other] = [
        auditRow({ result: 'started', address: '192.0.2.1', requestId: 'r' }),
        auditRow({ result: 'started' }),
      ]
      for (const each of [row, other]) await audit.append(each)
      const noted = { ...row, details: '{"commit":"c"}' }
      expect(await audit.amend(noted)).toStrictEqual({ ok: true, value: true })
      const done = {
        ...noted,
        result: 'failed',
        code: 'git_conflict',
        groups: '["platform-team"]',
        revision: 'f'.repeat(40),
      } as const
      expect(await audit.amend(done)).toStrictEqual({ ok: true, value: true })
      expect(await audit.amend({ ...row, result: 'done' })).toStrictEqual({
        ok: true,
        value: false,
      })
      expect(await audit.amend(auditRow())).toStrictEqual({ ok: true, value: false })
      expect(valueOf(await audit.list(ALL))).toStrictEqual([other, done])
    })

    test('of outcomes at once one is written', async () => {
      await using place = await opened()
      const row = auditRow({ result: 'started' })
      await place.audit.append(row)
      const codes = ['a', 'b', 'c', 'd']
      const amended = await Promise.all(
        codes.map((code) => place.audit.amend({ ...row, result: 'failed', code })),
      )
      const written = codes.filter((_, index) => valueOf(amended[index] ?? lost))
      expect(valueOf(await place.audit.list(ALL)).map(({ code }) => code)).toStrictEqual(written)
    })

    test('before a row that is not there is before its time', async () => {
      await using place = await opened()
      const older = auditRow()
      const missing = Bun.randomUUIDv7()
      await place.audit.append(older)
      await place.audit.append(auditRow())
      expect(valueOf(await place.audit.list({ ...ALL, before: missing }))).toStrictEqual([older])
    })

    test('removes what is older than that moment, and says how many', async () => {
      await using place = await opened()
      const { audit } = place
      const rows = [T0 - 2, T0 - 1, T0, T0 + 1].map((at) => auditRow({ at, address: '192.0.2.1' }))
      for (const row of rows) await audit.append(row)
      expect(valueOf(await audit.removeBefore(T0))).toBe(2)
      expect(valueOf(await audit.list(ALL))).toStrictEqual(rows.slice(2).toReversed())
      expect(valueOf(await audit.removeBefore(T0))).toBe(0)
      expect(valueOf(await audit.removeBefore(T0 + 2))).toBe(2)
      // Fails when an address is left behind.
      await place.at.execute('INSERT INTO schema_version SELECT 1 FROM audit_address')
    })

    test('a call after close is a value', async () => {
      await using at = await place()
      const database = valueOf(await at.open())
      await database.close()
      const refused = { ok: false, error: { kind: 'database_unavailable' } }
      expect(await database.audit.append(auditRow())).toMatchObject(refused)
      expect(await database.audit.amend(auditRow())).toMatchObject(refused)
      expect(await database.audit.list(ALL)).toMatchObject(refused)
      expect(await database.audit.removeBefore(T0)).toMatchObject(refused)
    })
  })
}
