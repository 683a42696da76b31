import { expect, test } from 'bun:test'
import { createFair } from '#src/lib/concurrency/fair.ts'
import { createNextFlight } from '#src/lib/concurrency/next-flight.ts'
import { onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { createSingleFlight } from '#src/lib/concurrency/single-flight.ts'

test('who asks while a work is under way shares the next one, and no other key waits', async () => {
  const flight = createNextFlight<number>()
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  let started = 0
  const work = async () => {
    const own = started++
    await gates[own]?.promise
    if (own === 1) throw new Error('away')
    return own
  }
  const first = flight('a', work)
  const shared = [flight('a', work), flight('a', work)]
  const outcomes = Promise.allSettled(shared)
  expect(started).toBe(1)
  gates[0]?.resolve()
  expect(await first).toBe(0)
  await Bun.sleep(0)
  expect(started).toBe(2)
  // That one has begun already.
  const late = [flight('a', work), flight('a', work)]
  gates[1]?.resolve()
  expect((await outcomes).map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
  gates[2]?.resolve()
  expect(await Promise.all(late)).toStrictEqual([2, 2])
  const other = flight('b', work)
  gates[3]?.resolve()
  expect(await other).toBe(3)
  expect(started).toBe(4)
})

test('a work goes on until all who wait for it have left', async () => {
  const flight = createNextFlight<string>()
  const clients = Array.from({ length: 3 }, () => new AbortController())
  const begun: AbortSignal[] = []
  const work = async (signal: AbortSignal) => {
    begun.push(signal)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'left'
  }
  const [first, second, third] = clients.map(({ signal }) => flight('a', work, signal))
  clients[0]?.abort()
  expect(await first).toBe('left')
  await Bun.sleep(0)
  expect(begun).toHaveLength(2)
  clients[1]?.abort()
  expect(begun[1]?.aborted).toBe(false)
  clients[2]?.abort()
  expect(await Promise.all([second, third])).toStrictEqual(['left', 'left'])
  expect(begun).toHaveLength(2)
})

test('who comes when all others have left, before the work has begun, is not given an abandoned one', async () => {
  const flight = createNextFlight<boolean>()
  const gate = Promise.withResolvers<void>()
  const isUnwanted = async (signal: AbortSignal) => {
    await gate.promise
    return signal.aborted
  }
  const first = flight('a', isUnwanted)
  const leaving = new AbortController()
  const left = flight('a', isUnwanted, leaving.signal)
  leaving.abort()
  const late = flight('a', isUnwanted, new AbortController().signal)
  const last = flight('a', isUnwanted, AbortSignal.abort())
  gate.resolve()
  expect(await Promise.all([first, left, late, last])).toStrictEqual([false, false, false, false])
})

const next = createNextFlight<number>()
const single = createSingleFlight<number>()

test.each<[string, (key: string, work: () => Promise<number>) => Promise<number>]>([
  ['a next flight', (key, work) => next(key, work)],
  ['a single flight', (key, work) => single.join(key, work)],
])('who waits for a work of others steps aside, and who does it does not: %s', async (_, join) => {
  const aside: string[] = []
  const ask = (name: string) =>
    onBehalfOf(
      name,
      () => join('a', async () => 1),
      () => aside.push(name),
    )
  await Promise.all([ask('first'), ask('second')])
  expect(aside).toStrictEqual(['second'])
})

test('a shared work waits for the first turn of all who wait for it', async () => {
  const flight = createNextFlight<string>()
  const { inTurn } = createFair({ queue: 'places', permits: 4 })
  const gate = Promise.withResolvers<void>()
  const hogs = [0, 1].map(() => onBehalfOf('hog', () => inTurn(() => gate.promise)))
  const first = Promise.withResolvers<string>()
  const ask = (person: string, work: () => Promise<string>) =>
    onBehalfOf(person, () => flight('a', work))
  void ask('hog', () => first.promise)
  const shared = ['hog', 'ann'].map((person) =>
    ask(person, () => inTurn(async () => `with the turn of ${person}`)),
  )
  first.resolve('begun')
  expect(await Promise.all(shared)).toStrictEqual(['with the turn of hog', 'with the turn of hog'])
  gate.resolve()
  await Promise.all(hogs)
})
