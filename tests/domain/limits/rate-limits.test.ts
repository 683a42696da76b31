import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import {
  createRateLimits,
  type Exceeded,
  type RateLimitOptions,
} from '#src/lib/domain/limits/rate-limits.ts'
import type { Database } from '#src/lib/ports/database.ts'
import { err } from '#src/lib/result.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** 20 s after a full minute. */
const T0 = Date.UTC(2026, 10, 21, 9, 30, 20)
const MINUTE = 60_000

/** Processes with one clock on one SQLite file. Each limits three calls a minute. */
function world() {
  const directory = mkdtempSync(join(tmpdir(), 'portico-limits-'))
  const opened: Database[] = []
  const clock = { time: T0, now: () => clock.time }
  return {
    clock,
    async process(options: Partial<RateLimitOptions> = {}) {
      const database = valueOf(await openDatabase(`sqlite:${join(directory, 'db')}`))
      opened.push(database)
      const exceeded: Exceeded[] = []
      const calls = { added: 0, isAway: false }
      const limits = createRateLimits(
        {
          async add(...args) {
            calls.added += 1
            return calls.isAway
              ? err({ kind: 'database_unavailable', reason: 'on demand' })
              : database.rateLimits.add(...args)
          },
          removeEnded: (endedBefore) => database.rateLimits.removeEnded(endedBefore),
        },
        clock,
      )
      const limit = limits.limit({
        name: 'test',
        perMinute: 3,
        subjectsMax: 100,
        onExceeded: async (each) => void exceeded.push(each),
        ...options,
      })
      return {
        ...limits,
        exceeded,
        calls,
        take: (subject: string) => limit.take(subject),
        database,
      }
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

type Taking = Awaited<ReturnType<ReturnType<typeof world>['process']>>

const verdicts = async ({ take }: Pick<Taking, 'take'>, calls: number, subject = 'a') => {
  const found: boolean[] = []
  for (let call = 0; call < calls; call += 1) found.push((await take(subject)).ok)
  return found
}

const refusal = (retryAfterSeconds: number) =>
  err({ kind: 'rate_limited', retryAfterSeconds } as const)

describe('a limit', () => {
  test('refuses what is beyond it until the minute ends, for this subject alone', async () => {
    await using at = world()
    const process = await at.process()
    expect(await verdicts(process, 5)).toStrictEqual([true, true, true, false, false])
    expect(await process.take('a')).toStrictEqual(refusal(40))
    expect(await verdicts(process, 4, 'b')).toStrictEqual([true, true, true, false])
    at.clock.time = T0 + 39_999
    expect(await process.take('a')).toStrictEqual(refusal(1))
    at.clock.time = T0 + 40_000
    expect(await verdicts(process, 4)).toStrictEqual([true, true, true, false])
    expect(await process.take('a')).toStrictEqual(refusal(60))
  })

  test('is one for all processes', async () => {
    await using at = world()
    const one = await at.process()
    const two = await at.process()
    expect(await verdicts(one, 2)).toStrictEqual([true, true])
    expect(await verdicts(two, 2)).toStrictEqual([true, false])
    expect(await verdicts(one, 1)).toStrictEqual([false])
    // Both know by now: neither asks the database again.
    const added = one.calls.added + two.calls.added
    await verdicts(one, 5)
    await verdicts(two, 5)
    expect(one.calls.added + two.calls.added).toBe(added)
  })

  test('takes exactly so many of a hundred calls at once in two processes', async () => {
    await using at = world()
    const both = [await at.process(), await at.process()]
    const taken = await Promise.all(
      both.flatMap(({ take }) => Array.from({ length: 50 }, () => take('a'))),
    )
    expect(taken.filter(({ ok }) => ok)).toHaveLength(3)
  })

  test('costs as many writes as it allows calls, whatever the flood', async () => {
    await using at = world()
    const process = await at.process()
    await Promise.all(Array.from({ length: 10_000 }, () => process.take('a')))
    expect(process.calls.added).toBe(3)
    expect(valueOf(await process.database.rateLimits.removeEnded(Infinity))).toHaveLength(1)
  })

  test('remembers a flood in constant memory', async () => {
    await using at = world()
    const process = await at.process()
    let calls = 0
    const flood = async () => {
      for (const last = calls + 50_000; calls < last; calls += 1) {
        await process.take('a')
        await process.take(`subject ${calls}`)
      }
      Bun.gc(true)
      return heapStats().objectCount
    }
    const before = await flood()
    expect((await flood()) - before).toBeLessThan(10_000)
  })

  test('has a counter of its own for so many subjects, and one for the rest', async () => {
    await using at = world()
    const process = await at.process({ subjectsMax: 2 })
    await verdicts(process, 1, 'a')
    await verdicts(process, 1, 'b')
    const rest = await Promise.all(Array.from({ length: 10_000 }, (_, n) => process.take(`c${n}`)))
    expect(rest.filter(({ ok }) => ok)).toHaveLength(3)
    expect(await verdicts(process, 3, 'a')).toStrictEqual([true, true, false])
    at.clock.time += 3 * MINUTE
    await process.sweep()
    expect(process.exceeded.toSorted((a, b) => a.refused - b.refused)).toStrictEqual([
      { subject: 'a', refused: 1, until: T0 + 40_000 },
      { subject: null, refused: 9_997, until: T0 + 40_000 },
    ])
  })
})

describe('what was refused', () => {
  test('is told once, with the number of all processes', async () => {
    await using at = world()
    const one = await at.process()
    const two = await at.process()
    await verdicts(one, 1000)
    await verdicts(two, 500)
    await verdicts(two, 3, 'within')
    at.clock.time += MINUTE
    await Promise.all([one.sweep(), two.sweep()])
    expect([...one.exceeded, ...two.exceeded]).toStrictEqual([])
    at.clock.time += 1.5 * MINUTE
    await Promise.all([one.sweep(), two.sweep()])
    expect([...one.exceeded, ...two.exceeded]).toStrictEqual([
      { subject: 'a', refused: 1497, until: T0 + 40_000 },
    ])
    at.clock.time += MINUTE
    await Promise.all([one.sweep(), two.sweep()])
    expect([...one.exceeded, ...two.exceeded]).toHaveLength(1)
  })

  test('is counted once by a sweep and the end of the process at the same time', async () => {
    await using at = world()
    const process = await at.process()
    await verdicts(process, 1000)
    at.clock.time += MINUTE
    await Promise.all([process.sweep(), process.close()])
    at.clock.time += 2 * MINUTE
    await process.sweep()
    expect(process.exceeded).toStrictEqual([{ subject: 'a', refused: 997, until: T0 + 40_000 }])
  })

  test('is told for each minute', async () => {
    await using at = world()
    const process = await at.process()
    await verdicts(process, 5)
    at.clock.time += MINUTE
    await verdicts(process, 7)
    at.clock.time += 3 * MINUTE
    await process.sweep()
    expect(process.exceeded.toSorted((a, b) => a.until - b.until)).toStrictEqual([
      { subject: 'a', refused: 2, until: T0 + 40_000 },
      { subject: 'a', refused: 4, until: T0 + 40_000 + MINUTE },
    ])
  })

  test('survives the end of the process that refused', async () => {
    await using at = world()
    const one = await at.process()
    const two = await at.process()
    await verdicts(one, 1000)
    await one.close()
    at.clock.time += 3 * MINUTE
    await two.sweep()
    expect(two.exceeded).toStrictEqual([{ subject: 'a', refused: 997, until: T0 + 40_000 }])
  })

  test('is not written when nothing was', async () => {
    await using at = world()
    const process = await at.process()
    await verdicts(process, 3)
    at.clock.time += MINUTE
    await process.sweep()
    expect(process.calls.added).toBe(3)
  })

  test('leaves nothing behind', async () => {
    await using at = world()
    const process = await at.process()
    await verdicts(process, 5)
    at.clock.time += 3 * MINUTE
    await process.sweep()
    expect(valueOf(await process.database.rateLimits.removeEnded(Infinity))).toStrictEqual([])
    process.calls.added = 0
    await process.sweep()
    expect(process.calls.added).toBe(0)
  })
})

describe('while the database is away', () => {
  test('each process counts for itself, and the count is sent later', async () => {
    await using at = world()
    const process = await at.process()
    process.calls.isAway = true
    expect(await verdicts(process, 5)).toStrictEqual([true, true, true, false, false])
    process.calls.isAway = false
    expect(await verdicts(process, 1)).toStrictEqual([false])
    at.clock.time += 3 * MINUTE
    await process.sweep()
    expect(process.exceeded).toStrictEqual([{ subject: 'a', refused: 3, until: T0 + 40_000 }])
  })

  test('and at the first sweep too, the count is sent by the next one, once', async () => {
    await using at = world()
    const process = await at.process()
    process.calls.isAway = true
    await verdicts(process, 5)
    await verdicts(process, 4, 'b')
    at.clock.time += MINUTE
    await process.sweep()
    process.calls.isAway = false
    at.clock.time += MINUTE
    await process.sweep()
    at.clock.time += MINUTE
    await process.sweep()
    expect(process.exceeded.toSorted((a, b) => b.refused - a.refused)).toStrictEqual([
      { subject: 'a', refused: 2, until: T0 + 40_000 },
      { subject: 'b', refused: 1, until: T0 + 40_000 },
    ])
  })

  test('and stays away, a sweep asks it once, and a minute is forgotten when all others have sent theirs', async () => {
    await using at = world()
    const process = await at.process()
    process.calls.isAway = true
    await verdicts(process, 5)
    await verdicts(process, 4, 'b')
    at.clock.time += MINUTE
    const { added } = process.calls
    await process.sweep()
    expect(process.calls.added).toBe(added + 1)
    at.clock.time += 2 * MINUTE
    await process.sweep()
    expect(process.calls.added).toBe(added + 2)
    await process.sweep()
    expect(process.calls.added).toBe(added + 2)
  })
})

describe('a clock that is set', () => {
  test('back by an hour blocks nobody for longer than a minute', async () => {
    await using at = world()
    const process = await at.process()
    await verdicts(process, 5)
    at.clock.time -= 60 * MINUTE
    expect(await verdicts(process, 4)).toStrictEqual([true, true, true, false])
    expect(await process.take('a')).toStrictEqual(refusal(40))
  })

  test('forth by a day begins anew', async () => {
    await using at = world()
    const process = await at.process()
    await verdicts(process, 5)
    at.clock.time += 24 * 60 * MINUTE
    expect(await verdicts(process, 4)).toStrictEqual([true, true, true, false])
  })
})
