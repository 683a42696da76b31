import { expect, test } from 'bun:test'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { err } from '#src/lib/result.ts'
import { apiServer } from '#tests/support/api-server.ts'
import { calls, DEADLINE_MS, list, NAME, PAGE, same } from './calls.ts'
import { listen } from './raw-api-server.ts'

/** 16 requests: one at a time to each API server. */
const one = () => createKubernetes({ deadlineMs: DEADLINE_MS, requestsAtOnce: 16 })

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
    Array.from({ length: 8 }, () => clusters.pods(server.access, PAGE, same)),
  )
  expect(all.map(({ ok }) => ok)).toStrictEqual(Array(8).fill(true))
  expect(most).toBe(1)
})

test('an API server that does not answer holds nobody up at another', async () => {
  using dark = await listen('tls', () => {})
  await using server = await apiServer(() => list([]))
  const clusters = one()
  const waiting = Array.from({ length: 4 }, () => clusters.pods(dark.access, PAGE, same))
  expect(await clusters.pods(server.access, PAGE, same)).toMatchObject({ ok: true })
  const start = performance.now()
  for (const each of await Promise.all(waiting)) {
    expect(each).toStrictEqual(err({ kind: 'cluster_timeout' }))
  }
  expect(performance.now() - start).toBeLessThan(2 * DEADLINE_MS)
})

test.each(calls)('%s gives its turn back, whatever came of it', async (_, call) => {
  const answers = [() => new Response('', { status: 500 })]
  await using server = await apiServer(() => answers.shift()?.() ?? list([]))
  const clusters = one()
  await call(server.access, clusters)
  await call({ ...server.access, signal: AbortSignal.abort() }, clusters)
  expect(await clusters.pods(server.access, PAGE, same)).toMatchObject({ ok: true })
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
  expect(await clusters.pods(server.access, PAGE, same)).toMatchObject({ ok: true })
  if (log.ok) await log.value.cancel()
})
