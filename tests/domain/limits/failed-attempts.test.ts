import { expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createFailedAttempts, type FailedAttempt } from '#src/lib/domain/limits/failed-attempts.ts'
import { createRateLimits } from '#src/lib/domain/limits/rate-limits.ts'
import type { AuditEntry } from '#src/lib/domain/audit/audit.ts'
import { err, ok } from '#src/lib/result.ts'
import { valueOf } from '#tests/support/value-of.ts'

const T0 = Date.UTC(2026, 10, 21, 9, 30)

const attempt: FailedAttempt = {
  address: '203.0.113.7',
  requestId: 'r',
  result: 'denied',
  code: 'sign_in_refused',
  details: { error: 'access_denied' },
}
const away = { ...attempt, result: 'failed', code: 'identity_unreachable', details: {} } as const
const refused = err({ kind: 'rate_limited', retryAfterSeconds: 60 } as const)
const allowed = ok(undefined)

async function world() {
  const database = valueOf(await openDatabase('sqlite::memory:'))
  const clock = { time: T0, now: () => clock.time }
  const rows: AuditEntry[] = []
  const limits = createRateLimits(database.rateLimits, clock)
  const attempts = createFailedAttempts({
    limits,
    audit: {
      async record(actor, entry) {
        expect(actor).toBeNull()
        rows.push(entry)
        return ok(undefined)
      },
    },
    name: 'failed_sign_ins',
    perMinute: 2,
    action: 'session.sign_in',
    target: 'session',
  })
  return {
    failed: (each: FailedAttempt) => attempts.failed(each),
    rows,
    async nextMinutes() {
      clock.time += 3 * 60_000
      await limits.sweep()
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}

const row = { action: 'session.sign_in', target: 'session' }

test('a row each up to the limit, then one with the number', async () => {
  await using at = await world()
  expect(await at.failed(attempt)).toStrictEqual(allowed)
  expect(await at.failed(attempt)).toStrictEqual(allowed)
  for (let index = 0; index < 100; index += 1) {
    expect(await at.failed(attempt)).toStrictEqual(refused)
  }
  expect(at.rows).toStrictEqual([
    { ...row, ...attempt },
    { ...row, ...attempt },
  ])
  await at.nextMinutes()
  expect(at.rows.slice(2)).toStrictEqual([
    {
      ...row,
      result: 'denied',
      code: 'rate_limited',
      requestId: null,
      address: '203.0.113.7',
      details: { refused: 100, until: '2026-11-21T09:31:00.000Z' },
    },
  ])
})

test('an attempt that could not be judged fills no audit trail, and keeps its own answer', async () => {
  await using at = await world()
  for (let index = 0; index < 100; index += 1) {
    expect(await at.failed(away)).toStrictEqual(allowed)
  }
  expect(at.rows).toHaveLength(2)
  expect(await at.failed(attempt)).toStrictEqual(refused)
  await at.nextMinutes()
  expect(at.rows.at(-1)).toMatchObject({ code: 'rate_limited', details: { refused: 99 } })
})

test('attempts without an address count together', async () => {
  await using at = await world()
  const unknown = { ...attempt, address: null }
  await at.failed(unknown)
  await at.failed(unknown)
  expect(await at.failed(unknown)).toStrictEqual(refused)
  expect(await at.failed(attempt)).toStrictEqual(allowed)
  await at.nextMinutes()
  expect(at.rows.at(-1)).toMatchObject({ code: 'rate_limited', address: null })
})

test('an attack from 10,000 addresses makes 202 rows and one with the number of the others', async () => {
  await using at = await world()
  const many = Array.from({ length: 10_000 }, (_, index) => ({
    ...attempt,
    address: `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
  }))
  await Promise.all(many.map((each) => at.failed(each)))
  expect(at.rows).toHaveLength(202)
  await at.nextMinutes()
  expect(at.rows.slice(202)).toMatchObject([
    { code: 'rate_limited', address: null, details: { refused: 10_000 - 200 - 2 } },
  ])
})
