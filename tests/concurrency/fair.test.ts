import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createFair, type FairOptions, observeQueues } from '#src/lib/concurrency/fair.ts'
import { onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { createSingleFlight } from '#src/lib/concurrency/single-flight.ts'

/** Lets what is due begin. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Works that end when they are told to, in the order in which they began. */
function line(options: Omit<FairOptions, 'queue'>) {
  const fair = createFair({ queue: 'test', ...options })
  const began: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string, signal?: AbortSignal) =>
    fair.inTurn(async () => {
      began.push(name)
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      await end.promise
    }, signal)
  const start = (name: string, person: string | null = name, signal?: AbortSignal) =>
    onBehalfOf(person, () => work(name, signal))
  const end = async (name: string, cause?: Error) => {
    if (cause === undefined) ends.get(name)?.resolve()
    else ends.get(name)?.reject(cause)
    await turn()
  }
  return { fair, began, work, start, end }
}

describe('a permit', () => {
  test('is for so many at a time, and is handed over in the order of arrival', async () => {
    const { began, start, end } = line({ permits: 2 })
    for (const name of ['a', 'b', 'c', 'd']) void start(name)
    expect(began).toStrictEqual(['a', 'b'])
    await end('b')
    void start('e')
    expect(began).toStrictEqual(['a', 'b', 'c'])
    for (const name of ['a', 'c', 'd']) await end(name)
    expect(began).toStrictEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('is given back by work that fails', async () => {
    const { began, start, end } = line({ permits: 1 })
    const failing = start('a').catch((cause: Error) => cause.message)
    void start('b')
    await end('a', new Error('no'))
    expect(await failing).toBe('no')
    expect(began).toStrictEqual(['a', 'b'])
  })

  test('is not waited for any more by who has left', async () => {
    const { fair, began, start, end } = line({ permits: 1 })
    const leaving = new AbortController()
    void start('a')
    const left = start('b', 'b', leaving.signal).catch(String)
    void start('c')
    leaving.abort('gone')
    expect(await left).toBe('gone')
    await end('a')
    expect(began).toStrictEqual(['a', 'c'])
    expect(await start('d', 'd', leaving.signal).catch(String)).toBe('gone')
    await end('c')
    expect([fair.running(), fair.waiting()]).toStrictEqual([0, 0])
  })
})

describe('persons', () => {
  test('take turns, however much one of them asks for', async () => {
    const { began, start, end } = line({ permits: 1 })
    for (let at = 0; at < 100; at += 1) void start(`hog-${at}`, 'hog')
    void start('ann-0', 'ann')
    void start('ann-1', 'ann')
    void start('bob-0', 'bob')
    for (const name of ['hog-0', 'hog-1', 'ann-0', 'bob-0', 'hog-2', 'ann-1']) await end(name)
    const order = ['hog-0', 'hog-1', 'ann-0', 'bob-0', 'hog-2', 'ann-1', 'hog-3']
    expect(began.slice(0, 7)).toStrictEqual(order)
  })

  test('have a quarter at most, and the service itself may have all', async () => {
    const { began, start, end } = line({ permits: 8 })
    for (let at = 0; at < 10; at += 1) void start(`hog-${at}`, 'hog')
    expect(began).toStrictEqual(['hog-0', 'hog-1'])
    for (let at = 0; at < 10; at += 1) void start(`own-${at}`, null)
    expect(began).toHaveLength(8)
    await end('own-0')
    expect(began[8]).toBe('own-6')
    await end('hog-0')
    expect(began[9]).toBe('hog-2')
  })

  test('that have their quarter hold nobody up', async () => {
    const { began, start } = line({ permits: 8 })
    for (let at = 0; at < 10; at += 1) void start(`hog-${at}`, 'hog')
    void start('ann')
    expect(began).toStrictEqual(['hog-0', 'hog-1', 'ann'])
  })
})

describe('work that several persons wait for', () => {
  /** Reads that are one while they are under way, each in its turn. */
  function reads(options: Omit<FairOptions, 'queue'>) {
    const { fair, began, work, end } = line(options)
    const flights = createSingleFlight<void>()
    const read = (name: string, person: string) =>
      onBehalfOf(person, () => flights.join(name, () => work(name)))
    return { fair, began, read, end }
  }

  test('takes the turn of whoever comes first', async () => {
    const { fair, began, read, end } = reads({ permits: 1 })
    for (let at = 0; at < 10; at += 1) void read(`hog-${at}`, 'hog')
    void read('ann-0', 'ann')
    void read('hog-8', 'ann')
    for (const name of ['hog-0', 'hog-1', 'ann-0', 'hog-2', 'hog-8']) await end(name)
    expect(began).toStrictEqual(['hog-0', 'hog-1', 'ann-0', 'hog-2', 'hog-8', 'hog-3'])
    for (const name of ['hog-3', 'hog-4', 'hog-5', 'hog-6', 'hog-7', 'hog-9']) await end(name)
    expect([began.length, fair.running(), fair.waiting()]).toStrictEqual([11, 0, 0])
  })

  test('begins at once where one of them has a permit left, also deep below what they joined', async () => {
    const { fair } = line({ permits: 8 })
    const began: string[] = []
    const outer = createSingleFlight<void>()
    const inner = createSingleFlight<void>()
    const read = (person: string, name: string) =>
      onBehalfOf(person, () =>
        outer.join(name, async () => {
          await turn()
          await inner.join(name, () => fair.inTurn(async () => void began.push(name)))
        }),
      )
    const busy = Promise.withResolvers<void>()
    for (let at = 0; at < 2; at += 1) {
      void onBehalfOf('hog', () => fair.inTurn(() => busy.promise))
    }
    void read('hog', 'a')
    await turn()
    await turn()
    expect([began, fair.waiting()]).toStrictEqual([[], 1])
    await read('ann', 'a')
    expect([began, fair.waiting(), fair.heldBy('ann')]).toStrictEqual([['a'], 0, 0])
    busy.resolve()
    await turn()
    expect(fair.running()).toBe(0)
  })
})

describe('a bounded queue', () => {
  const wait = (fair: ReturnType<typeof createFair>, name: string, person: string) =>
    fair.wait(person).then((isAdmitted) => `${name} ${isAdmitted ? 'admitted' : 'refused'}`)

  test('refuses who has waited longest in the longest queue', async () => {
    const fair = createFair({ queue: 'test', permits: 1, waitingMax: 3 })
    fair.enter('x')
    const outcomes: string[] = []
    for (const name of ['hog-0', 'hog-1', 'ann-0', 'hog-2', 'bob-0']) {
      void wait(fair, name, name.slice(0, 3)).then((outcome) => outcomes.push(outcome))
    }
    await turn()
    expect(outcomes).toStrictEqual(['hog-0 refused', 'hog-1 refused'])
    expect(fair.waiting()).toBe(3)
  })

  test('serves the newest of a person first once their oldest has waited for too long', async () => {
    const clock = { time: 0 }
    const fair = createFair({
      queue: 'test',
      permits: 1,
      patienceMs: 100,
      now: () => clock.time,
    })
    fair.enter('x')
    const outcomes: string[] = []
    const ask = (name: string, person: string) =>
      void wait(fair, name, person).then((outcome) => outcomes.push(outcome.slice(0, 3)))
    for (const name of ['a-0', 'a-1', 'a-2']) ask(name, 'a')
    fair.leave('x')
    await turn()
    clock.time = 90
    for (const name of ['b-0', 'b-1']) ask(name, 'b')
    clock.time = 101
    for (const person of ['a', 'a', 'b', 'a', 'b']) {
      fair.leave(person)
      await turn()
    }
    expect(outcomes).toStrictEqual(['a-0', 'a-2', 'b-0', 'a-1', 'b-1'])
  })
})

test('a place that is held for long is released once', () => {
  const fair = createFair({ queue: 'test', permits: 3, perPerson: 2 })
  const [first, second, third] = [fair.take('ann'), fair.take('ann'), fair.take('ann')]
  expect([typeof second, third]).toStrictEqual(['function', undefined])
  expect([fair.hasRoom('ann'), fair.hasRoom('bob')]).toStrictEqual([false, true])
  fair.take('bob')
  expect(fair.take('eve')).toBeUndefined()
  first?.()
  first?.()
  expect([typeof fair.take('eve'), fair.take('eve')]).toStrictEqual(['function', undefined])
})

test('of one person no more wait than may', async () => {
  const fair = createFair({ queue: 'test', permits: 1, waitingPerPersonMax: 1 })
  fair.enter('hog')
  const waiting = ['hog', 'ann'].map((person) => fair.wait(person))
  expect(await fair.wait('hog')).toBe(false)
  for (const person of ['hog', 'hog']) fair.leave(person)
  expect(await Promise.all(waiting)).toStrictEqual([true, true])
})

test('those who had to wait are observed', async () => {
  const observed: string[] = []
  observeQueues((queue) => observed.push(queue))
  const { start, end } = line({ permits: 1 })
  void start('a')
  void start('b')
  await end('a')
  observeQueues(() => {})
  expect(observed).toStrictEqual(['test'])
})

test('who waits for another system steps aside, and who waits for this one does not', async () => {
  const aside: string[] = []
  const use = (queue: string, isElsewhere: boolean) =>
    onBehalfOf(
      'ann',
      () =>
        // The work of a person is done for another one, too.
        onBehalfOf('bob', () =>
          createFair({ queue, permits: 1, isElsewhere }).inTurn(async () => 1),
        ),
      () => aside.push(queue),
    )
  await use('cluster', true)
  await use('git', false)
  expect(aside).toStrictEqual(['cluster'])
})

const PEOPLE = ['ann', 'bob', 'eve'] as const

test('whoever joins, ends and leaves in whatever order, no permit is lost, given twice, or kept from who waits and may have it', async () => {
  const step = fc.record({
    act: fc.constantFrom('ask', 'ask', 'ask', 'end', 'leave'),
    person: fc.constantFrom(...PEOPLE, null),
    /** The names of a read begin with it: those who ask for one name join that flight, and it joins the one of the read. */
    name: fc.constantFrom('a1', 'a2', 'b1', 'b2', 'c', 'd', 'e'),
  })
  const scenario = fc.array(step, { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(scenario, async (steps) => {
      const fair = createFair({ queue: 'test', permits: 3, perPerson: 1 })
      const [outer, inner] = [createSingleFlight<void>(), createSingleFlight<void>()]
      const reads = new Map<
        string,
        { people: Set<string | null>; leave: () => void; end?: () => void }
      >()

      function ask(name: string, person: string | null) {
        const key = name.charAt(0)
        const leaving = new AbortController()
        const read = reads.get(key) ?? { people: new Set(), leave: () => leaving.abort() }
        reads.set(key, read)
        read.people.add(person)
        const work = () =>
          fair.inTurn(
            () => new Promise<void>((end) => Object.assign(read, { end })),
            leaving.signal,
          )
        const asked = () => outer.join(name, () => inner.join(key, work))
        void onBehalfOf(person, asked).catch(() => {})
      }

      async function finish(key: string, act: 'end' | 'leave') {
        reads.get(key)?.[act]?.()
        const isWaiting = reads.get(key)?.end === undefined
        if (isWaiting === (act === 'leave')) reads.delete(key)
        await turn()
      }

      async function check() {
        await turn()
        const waiting = [...reads.values()].filter(({ end }) => end === undefined)
        const running = reads.size - waiting.length
        expect([fair.running(), fair.waiting()]).toStrictEqual([running, waiting.length])
        expect(running).toBeLessThanOrEqual(3)
        for (const person of PEOPLE) expect(fair.heldBy(person)).toBeLessThanOrEqual(1)
        const kept = waiting.flatMap(({ people }) => [...people].filter(fair.hasRoom))
        expect(kept).toStrictEqual([])
      }

      for (const { act, person, name } of steps) {
        if (act === 'ask') ask(name, person)
        else await finish(name.charAt(0), act)
        await check()
      }
      while (reads.size > 0) {
        for (const key of reads.keys()) await finish(key, 'end')
        await check()
      }
      expect(PEOPLE.map(fair.heldBy)).toStrictEqual([0, 0, 0])
    }),
  )
})
