import { describe, expect, test } from 'bun:test'
import { WRITE_RATE } from '#src/lib/adapters/hosts/github/api/client.ts'
import { createWritePace, turnAfter } from '#src/lib/adapters/hosts/hosted/api/write-pace.ts'
import { currentPerson, onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { WriteTurn } from '#src/lib/ports/database/write-turns.ts'
import { err, ok } from '#src/lib/result.ts'
import { answers, startRawHost } from '#tests/peers/raw-host.ts'
import { memoryTurns } from '#tests/support/write-turns.ts'
import { openClient } from './open-client.ts'

const PATIENCE_MS = 60_000
const limited = (retryAfterSeconds: number) => ({
  ok: false as const,
  error: { kind: 'git_rate_limited' as const, retryAfterSeconds },
})

/** One process of those that share these turns. */
const paced = (intervalMs: number, turns = memoryTurns()) =>
  createWritePace(
    'https://api.github.com',
    { intervalMs, burst: 100, refillMs: 0 },
    systemClock,
    () => turns,
  )

test('who writes much does not hold the others back', async () => {
  const pace = paced(5)
  const order: string[] = []
  const write = (person: string) =>
    onBehalfOf(person, async () => {
      await pace(new AbortController().signal, PATIENCE_MS)
      order.push(person)
    })
  const many = ['ann', 'ann', 'ann', 'ann', 'bob', 'eve', 'bob'].map(write)
  await Promise.all(many)
  expect(order).toStrictEqual(['ann', 'ann', 'bob', 'eve', 'ann', 'bob', 'ann'])
})

test('turns are taken for nobody: who writes first may have much else under way', async () => {
  const turns = memoryTurns()
  const takers: (string | null)[] = []
  const take = (...args: Parameters<typeof turns.take>) => {
    takers.push(currentPerson())
    return turns.take(...args)
  }
  const pace = paced(1, { take })
  const { signal } = new AbortController()
  await Promise.all(
    ['ann', 'bob'].map((person) => onBehalfOf(person, () => pace(signal, PATIENCE_MS))),
  )
  expect(takers).toStrictEqual([null, null])
})

test('a wait of more than five seconds fails at once, for who has caused it', async () => {
  const pace = paced(1_000)
  const leaving = new AbortController()
  const write = (person: string, patienceMs = PATIENCE_MS) =>
    onBehalfOf(person, () => pace(leaving.signal, patienceMs))
  expect(await write('ann')).toStrictEqual(ok(undefined))
  const waiting = Array.from({ length: 5 }, () => write('ann').catch(() => 'left'))
  expect(await write('ann')).toStrictEqual(limited(6))
  expect(await write('bob', 1_500)).toStrictEqual(limited(3))
  waiting.push(write('bob').catch(() => 'left'))
  expect(await write('bob', 3_000)).toStrictEqual(limited(5))
  leaving.abort()
  expect(await Promise.all(waiting)).toStrictEqual(waiting.map(() => 'left'))
})

test('who has left takes no turn', async () => {
  const pace = paced(1_000)
  const leaving = new AbortController()
  await pace(leaving.signal, PATIENCE_MS)
  const left = [1, 2, 3].map(() => pace(leaving.signal, PATIENCE_MS).catch(() => 'left'))
  leaving.abort()
  const next = pace(new AbortController().signal, PATIENCE_MS)
  expect(await Promise.all(left)).toStrictEqual(['left', 'left', 'left'])
  expect(await next).toStrictEqual(ok(undefined))
})

test('processes that share the turns begin one write in each interval', async () => {
  const turns = memoryTurns()
  const taken: number[] = []
  const noting = {
    take: async (...args: Parameters<typeof turns.take>) => {
      const turn = await turns.take(...args)
      if (turn.ok && turn.value !== null) taken.push(turn.value.at)
      return turn
    },
  }
  const processes = [paced(20, noting), paced(20, noting), paced(20, noting)]
  const signal = new AbortController().signal
  const writes = [...processes, ...processes].map((enter) => enter(signal, PATIENCE_MS))
  await Promise.all(writes)
  const gaps = taken.slice(1).map((at, index) => at - (taken[index] ?? 0))
  expect(taken).toHaveLength(6)
  expect(gaps.every((gap) => gap >= 20)).toBe(true)
})

test('without the database a process keeps to the rate by itself', async () => {
  const away = { take: async () => err({ kind: 'database_unavailable' as const, reason: 'gone' }) }
  const pace = paced(1_000, away)
  const signal = new AbortController().signal
  expect(await pace(signal, PATIENCE_MS)).toStrictEqual(ok(undefined))
  expect(await pace(signal, 500)).toStrictEqual(limited(1))
})

describe('the turns at GitHub', () => {
  /** The times at which so many writes begin that are asked for at once. */
  function timesOf(writes: number, start = 0): readonly number[] {
    let last: WriteTurn | null = null
    return Array.from({ length: writes }, () => {
      last = turnAfter(last, WRITE_RATE, Math.max(start, last?.at ?? 0))
      return last.at
    })
  }

  test('are a second apart, and 500 in any hour', () => {
    const times = timesOf(2_000)
    const HOUR_MS = 3_600_000
    const inHourFrom = (from: number) =>
      times.filter((at) => at >= from && at < from + HOUR_MS).length
    expect(Math.max(...times.map(inHourFrom))).toBeLessThanOrEqual(500)
    expect(times.slice(0, 3)).toStrictEqual([0, 1_000, 2_000])
    expect(times[150]).toBe(150_000)
  })

  test('forget a turn of a clock that was far ahead', () => {
    const turnOf = (at: number) => turnAfter({ at, usedUntil: at }, WRITE_RATE, 1_000).at
    expect(turnOf(61_001)).toBe(1_000)
    expect(turnOf(61_000)).toBe(62_000)
  })
})

test('writes of a client are paced, and reads and questions are not', async () => {
  using host = await startRawHost(answers({ json: 1 }, { json: 2 }))
  const { client } = openClient(host.url, { pace: async () => limited(7) })
  expect(await client.write('POST', '/a')).toStrictEqual(limited(7))
  expect(await client.read('/b')).toMatchObject({ value: { json: 1 } })
  expect(await client.write('POST', '/c', {}, { isQuestion: true })).toMatchObject({
    value: { json: 2 },
  })
  expect(host.requests.map(({ target }) => target)).toStrictEqual(['/b', '/c'])
})
