import { expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocks } from '#src/lib/domain/promotion/locks.ts'
import { ok } from '#src/lib/result.ts'

const NAME = 'payments/shop/dev'
const LEASE_MS = 6_000

/** Replicas that share a database, each with a clock of its own. */
async function open() {
  const opened = await openDatabase('sqlite::memory:')
  if (!opened.ok) throw new Error(opened.error.reason)
  const { leases } = opened.value
  return {
    leases,
    replica() {
      const clock = { ms: 0, now: () => clock.ms, elapsed: () => clock.ms }
      return { clock, ...createLocks({ leases, clock, leaseMs: LEASE_MS }) }
    },
    [Symbol.asyncDispose]: () => opened.value.close(),
  }
}

/** A holder that works until it is told to end. */
function busy(locks: ReturnType<Awaited<ReturnType<typeof open>>['replica']>) {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = locks.hold(NAME, async ({ hasWaited }) => {
    begun.resolve()
    await end.promise
    return ok(hasWaited)
  })
  return { begun: begun.promise, end: end.resolve, held }
}

test('replicas and requests of one replica work one after another, and know that they waited', async () => {
  await using place = await open()
  const one = place.replica()
  const first = busy(one)
  await first.begun
  const others = [busy(one), busy(place.replica())]
  for (const other of others) other.end()
  expect(await Promise.race([...others.map(({ held }) => held), Bun.sleep(500)])).toBeUndefined()
  first.end()
  expect(await first.held).toStrictEqual(ok(false))
  expect(await Promise.all(others.map(({ held }) => held))).toStrictEqual([ok(true), ok(true)])
  expect(await one.hold('payments/till/dev', async (lock) => ok(lock.hasWaited))).toStrictEqual(
    ok(false),
  )
})

test('a process with many requests lets another one have its turn', async () => {
  await using place = await open()
  const [busyOne, other] = [place.replica(), place.replica()]
  const done: string[] = []
  const many = Array.from({ length: 12 }, () =>
    busyOne.hold(NAME, async () => {
      busyOne.clock.ms += 500
      await Bun.sleep(1)
      return ok(done.push('one of many'))
    }),
  )
  const single = other.hold(NAME, async () => ok(done.push('the other')))
  await Promise.all([...many, single])
  expect(done).toHaveLength(13)
  expect(done.at(-1)).toBe('one of many')
})

test('a bug ends the lease of its holder', async () => {
  await using place = await open()
  const bug = place.replica().hold(NAME, () => Promise.reject(new Error('a bug')))
  expect(await bug.catch(String)).toBe('Error: a bug')
  expect(await place.replica().hold(NAME, async (lock) => ok(lock.hasWaited))).toStrictEqual(
    ok(false),
  )
})

test('the lease of a process that died is over when this one has seen no renewal for its length', async () => {
  await using place = await open()
  const replica = place.replica()
  const { clock } = replica
  await place.leases.take(NAME, { holder: 'dead', until: 1e12 }, null)
  await place.leases.note(NAME, 'dead', 'its work')
  const held = replica.hold(NAME, async ({ left }) => ok(left))
  await Bun.sleep(300)
  await place.leases.renew(NAME, { holder: 'dead', until: 2e12 })
  clock.ms = LEASE_MS
  expect(await Promise.race([held, Bun.sleep(500)])).toBeUndefined()
  clock.ms = 10_000
  expect(await held).toMatchObject({ error: { kind: 'change_in_progress' } })

  const later = replica.hold(NAME, async ({ left }) => ok(left))
  await Bun.sleep(300)
  clock.ms += LEASE_MS
  expect(await later).toStrictEqual(ok('its work'))
})

test('a holder that was taken for dead notes nothing, and ends nobody’s lease', async () => {
  await using place = await open()
  const slow = place.replica()
  let noted: unknown
  await slow.hold(NAME, async (lock) => {
    const { value } = (await place.leases.take(NAME, { holder: 'x', until: 1 }, null)) as {
      value: { lease: { holder: string; until: number } }
    }
    await place.leases.take(NAME, { holder: 'other', until: 1 }, value.lease)
    noted = await lock.note('late')
    return ok(undefined)
  })
  expect(noted).toMatchObject({ error: { kind: 'change_in_progress' } })
  expect(await place.leases.take(NAME, { holder: 'y', until: 1 }, null)).toStrictEqual(
    ok({ kind: 'held', lease: { holder: 'other', until: 1 } }),
  )
})
