import { afterEach, expect, jest, test } from 'bun:test'
import { onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { kubernetesClient } from '#tests/support/kubernetes-client.ts'
import { err } from '#src/lib/result.ts'
import { apiServer } from '#tests/support/api-server.ts'
import { calls, list, NAME, PAGE, same } from './calls.ts'

/** 16 requests: one at a time to each API server. */
const one = () => kubernetesClient({ requestsAtOnce: 16 })

afterEach(() => void jest.useRealTimers())

test('requests to one API server wait for each other, and all are answered', async () => {
  let [open, most] = [0, 0]
  await using server = await apiServer(async () => {
    most = Math.max(most, ++open)
    await Bun.sleep(5)
    open--
    return list([])
  })
  const clusters = one()
  const all = await Promise.all(
    Array.from({ length: 8 }, () => clusters.pods.list(server.access, PAGE, same)),
  )
  expect(all.map(({ ok }) => ok)).toStrictEqual(Array(8).fill(true))
  expect(most).toBe(1)
})

test('an API server that does not answer holds nobody up at another', async () => {
  await using dark = await apiServer(() => new Promise(() => {}))
  await using server = await apiServer(() => list([]))
  const clusters = one()
  jest.useFakeTimers()
  const waiting = Array.from({ length: 4 }, () => clusters.pods.list(dark.access, PAGE, same))
  expect(await clusters.pods.list(server.access, PAGE, same)).toMatchObject({ ok: true })
  // All at once: the deadline of those in line does not begin with their turn.
  jest.advanceTimersByTime(10_000)
  expect(await Promise.all(waiting)).toStrictEqual(Array(4).fill(err({ kind: 'cluster_timeout' })))
})

test.each(calls)('%s gives its turn back, whatever came of it', async (_, call) => {
  const answers = [() => new Response('', { status: 500 })]
  await using server = await apiServer(() => answers.shift()?.() ?? list([]))
  const clusters = one()
  await call(server.access, clusters)
  await call({ ...server.access, signal: AbortSignal.abort() }, clusters)
  expect(await clusters.pods.list(server.access, PAGE, same)).toMatchObject({ ok: true })
})

test.each(calls)('%s waits until what is under way has been read to its end', async (_, call) => {
  const rest = Promise.withResolvers<void>()
  const answers = [
    new Response(
      new ReadableStream({
        async start(body) {
          body.enqueue('{"metadata":{"resourceVersion":"7"},')
          await rest.promise
          body.enqueue('"items":[]}')
          body.close()
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    ),
  ]
  await using server = await apiServer(() => answers.shift() ?? list([]))
  const clusters = one()
  const first = clusters.pods.list(server.access, PAGE, same)
  const second = call(server.access, clusters)
  while (server.sent.length === 0) await Bun.sleep(1)
  await Bun.sleep(20)
  expect(server.sent).toHaveLength(1)
  rest.resolve()
  expect(await first).toMatchObject({ ok: true })
  await second
  expect(server.sent).toHaveLength(2)
})

test('a stream that goes on keeps no turn', async () => {
  await using server = await apiServer((_, { path }) =>
    path.endsWith('/log')
      ? new Response(new ReadableStream({ start: (log) => log.enqueue('a line\n') }))
      : list([]),
  )
  const clusters = one()
  const query = { container: null, follow: true, previous: false, tailLines: null }
  const log = await clusters.log(server.access, NAME, query)
  expect(await clusters.pods.list(server.access, PAGE, same)).toMatchObject({ ok: true })
  if (log.ok) await log.value.cancel()
})

test('following a log that says nothing ends with who follows it, and keeps no turn', async () => {
  await using server = await apiServer((_, { path }) =>
    path.endsWith('/log') ? new Promise(() => {}) : list([]),
  )
  const clusters = one()
  const query = { container: null, follow: true, previous: false, tailLines: null }
  const leave = new AbortController()
  jest.useFakeTimers()
  const log = clusters.log({ ...server.access, signal: leave.signal }, NAME, query)
  while (server.sent.length === 0) await new Promise(setImmediate)
  jest.advanceTimersByTime(60_000)
  await new Promise(setImmediate)
  expect(Bun.peek.status(log)).toBe('pending')
  expect(await clusters.pods.list(server.access, PAGE, same)).toMatchObject({ ok: true })
  leave.abort()
  expect(await log).toMatchObject({ ok: false })
})

test('one person has a quarter of an API server, and the others come past those who wait', async () => {
  const rest = Promise.withResolvers<void>()
  await using server = await apiServer(async () => {
    await rest.promise
    return list([])
  })
  const clusters = kubernetesClient()
  const ask = (person: string) =>
    onBehalfOf(person, () => clusters.pods.list(server.access, PAGE, same))
  const all = Array.from({ length: 20 }, () => ask('hog'))
  while (server.sent.length < 2) await Bun.sleep(1)
  all.push(ask('ann'))
  while (server.sent.length < 3) await Bun.sleep(1)
  await Bun.sleep(5)
  expect(server.sent).toHaveLength(3)
  rest.resolve()
  expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true)
})
