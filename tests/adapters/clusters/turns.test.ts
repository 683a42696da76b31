import { afterEach, expect, jest, test } from 'bun:test'
import { createTurns } from '#src/lib/adapters/clusters/kubernetes/turns.ts'
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

/** Turns that a test takes and gives back, and who had theirs. */
function line(limits = { all: 10, perServer: 4, perPerson: 2 }) {
  const inTurn = createTurns(limits)
  const order: string[] = []
  const take = (token: string, server = 'one', signal = new AbortController().signal) => {
    const work = Promise.withResolvers<void>()
    const name = `${token}@${server}`
    const taken = inTurn({ cluster: { apiServer: server }, token, signal }, async () => {
      order.push(name)
      await work.promise
    })
    return { taken, done: work.resolve }
  }
  return { order, take }
}

test('one person waits for themselves, and nobody for them', async () => {
  const { order, take } = line()
  const mallorys = Array.from({ length: 50 }, () => take('mallory'))
  take('bob')
  await Bun.sleep(1)
  expect(order).toStrictEqual(['mallory@one', 'mallory@one', 'bob@one'])
  mallorys[0]?.done()
  await mallorys[0]?.taken
  await Bun.sleep(1)
  expect(order.slice(3)).toStrictEqual(['mallory@one'])
})

test('who waits is let in by turns, past those that may not go yet', async () => {
  const { order, take } = line({ all: 10, perServer: 2, perPerson: 1 })
  const [a] = [take('a'), take('a'), take('b'), take('b'), take('c')]
  await Bun.sleep(1)
  expect(order).toStrictEqual(['a@one', 'b@one'])
  a?.done()
  await a?.taken
  await Bun.sleep(1)
  expect(order).toStrictEqual(['a@one', 'b@one', 'a@one'])
})

test('all together have a limit too', async () => {
  const { order, take } = line({ all: 2, perServer: 2, perPerson: 2 })
  const [first] = [take('a', 'one'), take('a', 'two'), take('a', 'three')]
  await Bun.sleep(1)
  expect(order).toHaveLength(2)
  first?.done()
  await first?.taken
  await Bun.sleep(1)
  expect(order).toStrictEqual(['a@one', 'a@two', 'a@three'])
})

test('who does not wait any more leaves the line, with the reason', async () => {
  const { order, take } = line({ all: 1, perServer: 1, perPerson: 1 })
  const first = take('a')
  const leave = new AbortController()
  const left = take('b', 'one', leave.signal).taken.catch((reason: unknown) => reason)
  const last = take('c')
  leave.abort('gone')
  expect(await left).toBe('gone')
  first.done()
  await first.taken
  await Bun.sleep(1)
  expect(order).toStrictEqual(['a@one', 'c@one'])
  last.done()
  const late = take('d', 'one', AbortSignal.abort('before')).taken
  expect(await late.catch((reason: unknown) => reason)).toBe('before')
})
