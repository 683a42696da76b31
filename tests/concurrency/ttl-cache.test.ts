import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { currentPerson, onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { type CacheRead, createTtlCache } from '#src/lib/concurrency/ttl-cache.ts'
import { err, ok, type Result } from '#src/lib/result.ts'

const T0 = Date.UTC(2026, 10, 21)
const TTL = 300_000
const MAX_STALE = 3_600_000
const REFRESH_AFTER = 10_000
const RETRY_AFTER = 2_000
const TIMES = {
  ttlMs: TTL,
  maxStaleMs: MAX_STALE,
  refreshAfterMs: REFRESH_AFTER,
  retryAfterMs: RETRY_AFTER,
}
const KEY = 'acme/gitops'

interface Load {
  readonly number: number
  readonly previous: number | undefined
  /** How many invalidations had been when it began. */
  readonly generation: number
  readonly settle: PromiseWithResolvers<Result<number, string>>
}

/** A cache of numbers: the first load brings 1, the next 2. Loads wait until the test lets them end. */
function world() {
  const loads: Load[] = []
  const running: Load[] = []
  let mostRunning = 0
  let generation = 0
  const told: [Result<number, string>, number][] = []
  const clock = { time: T0, now: () => clock.time }
  const cache = createTtlCache<string, number, string>({
    ...TIMES,
    isOutage: () => true,
    clock,
    load: (_, previous) => {
      const settle = Promise.withResolvers<Result<number, string>>()
      const load = { number: loads.length + 1, previous, generation, settle }
      loads.push(load)
      running.push(load)
      mostRunning = Math.max(mostRunning, running.length)
      return settle.promise
    },
    onLoaded: (outcome, tookMs) => told.push([outcome, tookMs]),
  })
  const end = async (how: 'ok' | 'fail' | 'throw' = 'ok') => {
    const load = running.shift()
    if (load === undefined) throw new Error('nothing is being loaded')
    if (how === 'ok') load.settle.resolve(ok(load.number))
    if (how === 'fail') load.settle.resolve(err('down'))
    if (how === 'throw') load.settle.reject(new Error('bug'))
    await settled()
  }
  return {
    clock,
    loads,
    running,
    told,
    end,
    mostRunning: () => mostRunning,
    generation: () => generation,
    read: () => cache.read(KEY),
    peek: () => cache.peek(KEY),
    invalidate: () => {
      generation++
      cache.invalidate(KEY)
    },
    advance: (ms: number) => {
      clock.time += ms
    },
    /** With load 1 in it, that began at `T0`. */
    filled: async () => {
      const first = cache.read(KEY)
      await end()
      await first
    },
  }
}

/** Everything that only waits for promises has happened. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

const fresh = (value: number, loadedAt = T0) => ok({ value, loadedAt, stale: false })
const stale = (value: number, loadedAt = T0) => ok({ value, loadedAt, stale: true })

test('a load is nobody’s: who asked first may have much else under way', async () => {
  const persons: (string | null)[] = []
  const cache = createTtlCache<string, number, string>({
    ...TIMES,
    isOutage: () => true,
    refreshAfterMs: 0,
    clock: { now: () => T0 },
    load: async () => {
      persons.push(currentPerson())
      await Promise.resolve()
      persons.push(currentPerson())
      return ok(1)
    },
  })
  await onBehalfOf('ann', () => cache.read(KEY))
  await onBehalfOf('ann', () => cache.read(KEY))
  await settled()
  expect(persons).toStrictEqual([null, null, null, null])
})

describe('a fresh value', () => {
  test('is there at once, until its time is over', async () => {
    const { read, filled, advance, loads } = world()
    await filled()
    expect(read()).toStrictEqual(fresh(1))
    advance(REFRESH_AFTER - 1)
    expect(read()).toStrictEqual(fresh(1))
    expect(loads).toHaveLength(1)
    advance(TTL - REFRESH_AFTER + 1)
    expect(read()).toBeInstanceOf(Promise)
    expect(loads).toHaveLength(2)
    expect(loads[1]?.previous).toBe(1)
  })

  test('ages from the start of its load', async () => {
    const { read, advance, end, peek } = world()
    const first = read()
    advance(TTL)
    await end()
    expect(await first).toStrictEqual(fresh(1))
    expect(peek()).toStrictEqual({ value: 1, loadedAt: T0, stale: true })
    expect(read()).toBeInstanceOf(Promise)
  })

  test('is loaded again in the background when it is older, once', async () => {
    const { read, filled, advance, loads, end } = world()
    await filled()
    advance(REFRESH_AFTER)
    expect([read(), read(), read()]).toStrictEqual([fresh(1), fresh(1), fresh(1)])
    expect(loads).toHaveLength(2)
    await end()
    expect(read()).toStrictEqual(fresh(2, T0 + REFRESH_AFTER))
  })

  test.each(['fail', 'throw'] as const)(
    'survives a background load that ends with %s',
    async (how) => {
      const { read, filled, advance, loads, end } = world()
      await filled()
      advance(REFRESH_AFTER)
      void read()
      await end(how)
      expect(read()).toStrictEqual(fresh(1))
      advance(RETRY_AFTER)
      expect(read()).toStrictEqual(fresh(1))
      expect(loads.length).toBeGreaterThanOrEqual(3)
    },
  )

  test('of the future is not fresh: the clock was set back', async () => {
    const { read, filled, advance } = world()
    await filled()
    advance(-1)
    expect(read()).toBeInstanceOf(Promise)
  })
})

describe('one load at a time', () => {
  test('however many wait', async () => {
    const { read, loads, end } = world()
    const reads = Array.from({ length: 100 }, async () => read())
    expect(loads).toHaveLength(1)
    await end()
    expect(await Promise.all(reads)).toStrictEqual(Array.from({ length: 100 }, () => fresh(1)))
  })

  test('and one more for 1,000 invalidations and reads', async () => {
    const { read, filled, invalidate, loads, end, mostRunning } = world()
    await filled()
    const reads: unknown[] = []
    for (let i = 0; i < 1_000; i++) {
      invalidate()
      reads.push(read())
    }
    expect(loads).toHaveLength(2)
    await end()
    expect(loads).toHaveLength(3)
    await end()
    expect(loads).toHaveLength(3)
    expect(mostRunning()).toBe(1)
    const answers = await Promise.all(reads)
    expect(answers.slice(1)).toStrictEqual(Array.from({ length: 999 }, () => fresh(3)))
  })
})

describe('after an invalidation', () => {
  test('no read gets what was there, nor what was on its way', async () => {
    const { read, invalidate, end, peek } = world()
    const before = read()
    invalidate()
    const behind = read()
    await end()
    expect(await before).toStrictEqual(fresh(1))
    expect(peek()).toStrictEqual({ value: 1, loadedAt: T0, stale: true })
    await end()
    expect(await behind).toStrictEqual(fresh(2))
    expect(read()).toStrictEqual(fresh(2))
  })

  test('also when the load that was on its way was in the background', async () => {
    const { read, filled, advance, invalidate, end } = world()
    await filled()
    advance(REFRESH_AFTER)
    void read()
    invalidate()
    const behind = read()
    await end()
    await end()
    expect(await behind).toStrictEqual(fresh(3, T0 + REFRESH_AFTER))
  })

  test('a failure before it is forgotten', async () => {
    const { read, end, invalidate, loads } = world()
    const first = read()
    await end('fail')
    expect(await first).toStrictEqual(err('down'))
    invalidate()
    const second = read()
    expect(loads).toHaveLength(2)
    await end()
    expect(await second).toStrictEqual(fresh(1 + 1))
  })

  test.each(['fail', 'throw'] as const)(
    'a load before it that ends with %s is followed by another',
    async (how) => {
      const { read, end, invalidate } = world()
      const before = Promise.resolve(read()).catch(() => 'thrown')
      invalidate()
      const behind = read()
      await end(how)
      await end()
      expect(await before).toStrictEqual(how === 'fail' ? err('down') : 'thrown')
      expect(await behind).toStrictEqual(fresh(2))
    },
  )

  test('a failure means stale', async () => {
    const { read, filled, invalidate, end } = world()
    await filled()
    invalidate()
    const reading = read()
    await end('fail')
    expect(await reading).toStrictEqual(stale(1))
  })
})

describe('a failure', () => {
  test('is remembered for a while, and not longer', async () => {
    const { read, end, advance, loads, clock } = world()
    const first = read()
    advance(500)
    await end('fail')
    expect(await first).toStrictEqual(err('down'))
    advance(RETRY_AFTER - 1)
    expect(read()).toStrictEqual(err('down'))
    expect(loads).toHaveLength(1)
    advance(1)
    const second = read()
    expect(loads).toHaveLength(2)
    await end()
    expect(await second).toStrictEqual(fresh(2, clock.time))
  })

  test('is not remembered for longer because the clock was set back', async () => {
    const { read, end, advance, loads } = world()
    const first = read()
    await end('fail')
    await first
    advance(-3_600_000)
    expect(read()).toBeInstanceOf(Promise)
    expect(loads).toHaveLength(2)
  })

  // prettier-ignore
  test.each([
    ['just over its time',        TTL,                 stale(1)],
    ['as old as it may be',       TTL + MAX_STALE,     stale(1)],
    ['a millisecond older',       TTL + MAX_STALE + 1, err('down')],
  ])('with a value that is %s', async (_, age, answer) => {
    const { read, filled, advance, end } = world()
    await filled()
    advance(age)
    const reading = read()
    await end('fail')
    expect(await reading).toStrictEqual(answer)
    expect(read()).toStrictEqual(answer)
  })

  test('is over with the next success', async () => {
    const { read, filled, advance, end, clock } = world()
    await filled()
    advance(TTL)
    const failing = read()
    await end('fail')
    await failing
    advance(RETRY_AFTER)
    const working = read()
    await end()
    expect(await working).toStrictEqual(fresh(3, clock.time))
  })
})

test('a bug that is thrown is not kept', async () => {
  const { read, end, loads, peek } = world()
  const first = Promise.resolve(read()).catch((error: unknown) => error)
  await end('throw')
  expect(await first).toStrictEqual(new Error('bug'))
  expect(peek()).toBeUndefined()
  const second = read()
  expect(loads).toHaveLength(2)
  await end()
  expect(await second).toStrictEqual(fresh(2))
})

test('each load that ended is told, with the time it took', async () => {
  const { read, end, advance, told } = world()
  const first = read()
  advance(30)
  await end('fail')
  await first
  advance(RETRY_AFTER)
  const second = read()
  advance(40)
  await end()
  await second
  expect(told).toStrictEqual([
    [err('down'), 30],
    [ok(2), 40],
  ])
})

test('keys know nothing of each other', async () => {
  const cache = createTtlCache<string, string, string>({
    ...TIMES,
    isOutage: () => true,
    clock: { now: () => T0 },
    load: async (key) => (key === 'bad' ? err('down') : ok(key)),
  })
  expect(cache.peek('a')).toBeUndefined()
  expect(await cache.read('a')).toStrictEqual(ok({ value: 'a', loadedAt: T0, stale: false }))
  expect(await cache.read('bad')).toStrictEqual(err('down'))
  cache.invalidate('bad')
  expect(cache.read('a')).toStrictEqual(ok({ value: 'a', loadedAt: T0, stale: false }))
})

type Step =
  { readonly do: 'read' | 'invalidate' | 'ok' | 'fail' | 'throw' } | { readonly advance: number }

test('whatever happens in whatever order', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constantFrom('read', 'read', 'invalidate', 'ok', 'ok', 'fail', 'throw') }),
    fc.record({
      advance: fc.constantFrom(1, RETRY_AFTER, REFRESH_AFTER, TTL, TTL + MAX_STALE, -5),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { read, invalidate, advance, end, loads, running, peek, clock, ...rest } = world()
      const generationOf = (value: number) => loads[value - 1]?.generation ?? -1
      let answered = 0
      let asked = 0
      const checked: Promise<void>[] = []
      const check = (asOf: number, answer: CacheRead<number, string>) => {
        answered++
        if (!answer.ok) return
        if (!answer.value.stale)
          expect(generationOf(answer.value.value)).toBeGreaterThanOrEqual(asOf)
        else expect(clock.time - answer.value.loadedAt).toBeLessThanOrEqual(TTL + MAX_STALE)
      }
      let newest = 0
      for (const next of steps) {
        if ('advance' in next) advance(next.advance)
        else if (next.do === 'invalidate') invalidate()
        else if (next.do === 'read') {
          const asOf = rest.generation()
          asked++
          checked.push(
            Promise.resolve(read()).then(
              (answer) => check(asOf, answer),
              () => void answered++,
            ),
          )
        } else if (running.length > 0) await end(next.do)
        await settled()
        expect(rest.mostRunning()).toBeLessThanOrEqual(1)
        expect(peek()?.value ?? 0).toBeGreaterThanOrEqual(newest)
        newest = peek()?.value ?? 0
      }
      for (let left = 0; running.length > 0; left++) {
        expect(left).toBeLessThan(3)
        await end()
      }
      await Promise.all(checked)
      expect(answered).toBe(asked)
    }),
    { numRuns: 1_000 },
  )
})

test('after an invalidation only an outage lets the old value be served', async () => {
  let failure: 'outage' | 'refusal' | undefined
  const clock = { now: () => T0 }
  const cache = createTtlCache<string, string, string>({
    isOutage: (error) => error === 'outage',
    ...TIMES,
    clock,
    load: async () => (failure === undefined ? ok('value') : err(failure)),
  })
  await cache.read('key')
  failure = 'outage'
  cache.invalidate('key')
  expect(await cache.read('key')).toMatchObject({ ok: true, value: { stale: true } })
  failure = 'refusal'
  cache.invalidate('key')
  expect(await cache.read('key')).toStrictEqual(err('refusal'))
  // And again while the failure is remembered.
  expect(await cache.read('key')).toStrictEqual(err('refusal'))
})

describe('a value of an earlier process', () => {
  const LOADED_AT = T0 - 60_000
  function recalling(isOutage: boolean, brings: Result<number, string>) {
    const asked: string[] = []
    const previous: (number | undefined)[] = []
    const answers = [err('down'), brings]
    const clock = { time: T0, now: () => clock.time }
    const cache = createTtlCache<string, number, string>({
      isOutage: () => isOutage,
      ...TIMES,
      clock,
      load: async (_, before) => {
        previous.push(before)
        return answers.shift() ?? brings
      },
      recall: async (key) => {
        asked.push(key)
        return { value: -1, loadedAt: LOADED_AT }
      },
    })
    return { cache, clock, asked, previous, read: async () => cache.read(KEY) }
  }
  const old = ok({ value: -1, loadedAt: LOADED_AT, stale: true })

  test('stands in while loads fail, is asked for once, and loads go on from it', async () => {
    const { read, clock, asked, previous } = recalling(true, ok(7))
    expect(await Promise.all([read(), read()])).toStrictEqual([old, old])
    expect(await read()).toStrictEqual(old)
    clock.time += RETRY_AFTER
    expect(await read()).toStrictEqual(ok({ value: 7, loadedAt: clock.time, stale: false }))
    expect([asked, previous]).toStrictEqual([[KEY], [undefined, -1]])
  })

  test('ends at its own age', async () => {
    const { read, clock } = recalling(true, err('down'))
    expect(await read()).toStrictEqual(old)
    clock.time = LOADED_AT + TTL + MAX_STALE + 1
    expect(await read()).toStrictEqual(err('down'))
  })

  test('is not asked for when a failure is an answer', async () => {
    const { read, asked } = recalling(false, ok(7))
    expect([await read(), asked]).toStrictEqual([err('down'), []])
  })
})
