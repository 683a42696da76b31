import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createReplicatedInvalidation } from '#src/lib/domain/replicated-invalidation.ts'
import type { Generations } from '#src/lib/ports/database/generations.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { until } from '#tests/support/until.ts'

function replica(generations: Generations) {
  const catalog = { invalidations: 0, invalidate: () => void (catalog.invalidations += 1) }
  const reasons: string[] = []
  const invalidation = createReplicatedInvalidation({
    name: 'catalog',
    cache: catalog,
    generations,
    onNotAnnounced: ({ reason }) => reasons.push(reason),
  })
  return { catalog, reasons, invalidation }
}

/** Two replicas on one database; writes fail while `broken` is true. */
async function twoReplicas() {
  const directory = await mkdtemp(join(tmpdir(), 'portico-invalidation-'))
  const url = `sqlite:${join(directory, 'x.db')}`
  const [here, there] = [valueOf(await openDatabase(url)), valueOf(await openDatabase(url))]
  const state = { broken: false, advances: 0 }
  const one = replica({
    ...here.generations,
    advance: async (name) => {
      state.advances += 1
      return state.broken
        ? { ok: false, error: { kind: 'database_unavailable', reason: 'TEST' } }
        : here.generations.advance(name)
    },
  })
  const other = replica(there.generations)
  one.invalidation.start()
  other.invalidation.start()
  return {
    state,
    one,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.invalidation.close(), other.invalidation.close()])
      await Promise.all([here.close(), there.close()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

test('invalidates at once here, and soon on the other replica', async () => {
  await using at = await twoReplicas()
  const announced = at.one.invalidation.invalidate()
  expect(at.one.catalog.invalidations).toBe(1)
  await announced
  await until(() => at.other.catalog.invalidations > 0)
  expect(at.other.catalog.invalidations).toBe(1)
  expect(at.one.catalog.invalidations).toBe(1)
})

test('a hundred at once are two announcements', async () => {
  await using at = await twoReplicas()
  await Promise.all(Array.from({ length: 100 }, () => at.one.invalidation.invalidate()))
  expect(at.one.catalog.invalidations).toBe(100)
  expect(at.state.advances).toBeLessThanOrEqual(2)
  await until(() => at.other.catalog.invalidations > 0)
  expect(at.other.catalog.invalidations).toBeGreaterThan(0)
})

test('while the database is away it invalidates here, and announces when it is back', async () => {
  await using at = await twoReplicas()
  at.state.broken = true
  await at.one.invalidation.invalidate()
  expect(at.one.catalog.invalidations).toBe(1)
  expect(at.one.reasons).toStrictEqual(['TEST'])
  await until(() => at.one.reasons.length > 1)
  expect(at.other.catalog.invalidations).toBe(0)
  at.state.broken = false
  await until(() => at.other.catalog.invalidations > 0)
  expect(at.other.catalog.invalidations).toBe(1)
})

test('what was not announced is tried once more at the end', async () => {
  await using at = await twoReplicas()
  at.state.broken = true
  await at.one.invalidation.invalidate()
  at.state.broken = false
  await at.one.invalidation.close()
  await until(() => at.other.catalog.invalidations > 0)
  expect(at.other.catalog.invalidations).toBe(1)
})

test('an ended replica is not told any more', async () => {
  await using at = await twoReplicas()
  await at.other.invalidation.close()
  await at.one.invalidation.invalidate()
  await Bun.sleep(600)
  expect(at.other.catalog.invalidations).toBe(0)
})
