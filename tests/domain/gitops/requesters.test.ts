import { expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createRequesters, creatorOf } from '#src/lib/domain/gitops/requesters.ts'
import { GITOPS } from '#tests/support/portal.ts'

const DAY_MS = 24 * 60 * 60_000
const ANN = { subject: 'ann', name: 'Ann' }

async function openRequesters() {
  const opened = await openDatabase('sqlite::memory:')
  if (!opened.ok) throw new Error(opened.error.reason)
  const database = opened.value
  const time = { now: Date.UTC(2026, 10, 21) }
  const clock = { now: () => time.now, elapsed: () => time.now }
  const make = () => createRequesters({ store: database.requesters, repository: GITOPS, clock })
  return { make, time, database, [Symbol.asyncDispose]: () => database.close() }
}

test('a pull request of the same number that was opened at another time is another one', async () => {
  await using at = await openRequesters()
  const requesters = at.make()
  const pull = { number: 7, createdAt: at.time.now }
  await requesters.note(pull, ANN)
  expect(await requesters.of([pull])).toStrictEqual(new Map([[7, ANN]]))
  expect(await requesters.of([{ ...pull, createdAt: 1 }])).toStrictEqual(new Map())
  expect(await at.make().of([{ ...pull, createdAt: 1 }])).toStrictEqual(new Map())
})

test('without a database, the name that git has is left', async () => {
  await using at = await openRequesters()
  const pull = { number: 7, createdAt: at.time.now, createdBy: 'portico[bot]' }
  const requesters = at.make()
  await requesters.note(pull, ANN)
  await at.database.close()
  expect(creatorOf(pull, await requesters.of([pull]))).toStrictEqual({
    subject: null,
    name: 'portico[bot]',
  })
})

test('is forgotten with the audit trail', async () => {
  await using at = await openRequesters()
  const pull = { number: 7, createdAt: at.time.now }
  await at.make().note(pull, ANN)
  at.time.now += 400 * DAY_MS
  await at.make().sweep()
  expect((await at.make().of([pull])).size).toBe(1)
  at.time.now += 1
  await at.make().sweep()
  expect((await at.make().of([pull])).size).toBe(0)
})
