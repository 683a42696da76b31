import { expect, test } from 'bun:test'
import { createWritePace } from '#src/lib/adapters/hosts/hosted/api/write-pace.ts'
import { onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { ok } from '#src/lib/result.ts'
import { answers, startRawHost } from '#tests/peers/raw-host.ts'
import { openClient } from './open-client.ts'

const PATIENCE_MS = 60_000
const limited = (retryAfterSeconds: number) => ({
  ok: false as const,
  error: { kind: 'git_rate_limited' as const, retryAfterSeconds },
})

test('who writes much does not hold the others back', async () => {
  const pace = createWritePace(5)
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

test('a wait of more than five seconds fails at once, for who has caused it', async () => {
  const pace = createWritePace(1_000)
  const leaving = new AbortController()
  const write = (person: string, patienceMs = PATIENCE_MS) =>
    onBehalfOf(person, () => pace(leaving.signal, patienceMs))
  expect(await write('ann')).toStrictEqual(ok(undefined))
  const waiting = Array.from({ length: 5 }, () => write('ann').catch(() => 'left'))
  expect(await write('ann')).toStrictEqual(limited(6))
  expect(await write('bob', 1_500)).toStrictEqual(limited(2))
  waiting.push(write('bob').catch(() => 'left'))
  expect(await write('bob', 3_000)).toStrictEqual(limited(4))
  leaving.abort()
  expect(await Promise.all(waiting)).toStrictEqual(waiting.map(() => 'left'))
})

test('who has left takes no turn', async () => {
  const pace = createWritePace(1_000)
  const leaving = new AbortController()
  await pace(leaving.signal, PATIENCE_MS)
  const left = [1, 2, 3].map(() => pace(leaving.signal, PATIENCE_MS).catch(() => 'left'))
  leaving.abort()
  const next = pace(new AbortController().signal, PATIENCE_MS)
  expect(await Promise.all(left)).toStrictEqual(['left', 'left', 'left'])
  expect(await next).toStrictEqual(ok(undefined))
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
