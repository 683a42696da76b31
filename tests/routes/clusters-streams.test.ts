import { describe, expect, test } from 'bun:test'
import { pod } from '#tests/domain/clusters/objects.ts'
import {
  type Answer,
  list,
  PODS,
  post,
  RESTART,
  sharedWorld,
  status,
  world,
} from './cluster-world.ts'

const LOG = `${PODS}/shop-1/log?follow=true`
const WATCH = `${PODS}?watch=true`

const shared = sharedWorld()

/** Lists one pod; a watch or a log begins, and says nothing more. */
const silent =
  (onEnd: () => void = () => {}, onBegin: () => void = () => {}): Answer =>
  (request, { path, query }) => {
    if (query['watch'] !== 'true' && !path.endsWith('/log')) return list([pod()])
    request.signal.addEventListener('abort', onEnd)
    onBegin()
    return new Response(new ReadableStream({ start: (body) => body.enqueue('\n') }), {
      headers: { 'content-type': 'application/json' },
    })
  }

describe.each([
  ['a watch', WATCH],
  ['a log', LOG],
])('%s', (_, path) => {
  test('is kept by nobody on its way', async () => {
    const at = await shared(silent())
    const response = await at.get(path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    await response.body?.cancel()
  })

  test('ends when the service does, and so does what it reads', async () => {
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    await using at = await world(silent(ended.resolve, begun.resolve))
    const text = (await at.get(path)).text()
    await begun.promise
    await Bun.sleep(20)
    expect(Bun.peek.status(text)).toBe('pending')
    at.portal.portal.drain()
    await text
    await ended.promise
  })

  test('ends for the cluster when its reader leaves', async () => {
    const ended = Promise.withResolvers<void>()
    const at = await shared(silent(ended.resolve))
    const reader = (await at.get(path)).body?.getReader()
    await reader?.read()
    if (path === WATCH) await reader?.read()
    await Bun.sleep(20)
    await reader?.cancel()
    await ended.promise
  })
})

test('HEAD of a log that goes on neither follows it nor keeps it', async () => {
  const ended = Promise.withResolvers<void>()
  const at = await shared(silent(ended.resolve))
  const head = () => at.get(LOG, { method: 'HEAD', undocumented: true })
  const response = await head()
  expect([response.status, await response.text()]).toStrictEqual([200, ''])
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(at.sent.map(({ query }) => query)).toStrictEqual([{}])
  await ended.promise
  // More than the places of open streams.
  for (let times = 0; times < 25; times++) expect((await head()).status).toBe(200)
})

test('a log of the run before, and as many lines as may be', async () => {
  const at = await shared(() => new Response('a line\n'))
  const linesOf = (lines: number) => at.get(`${PODS}/shop-1/log?previous=true&tailLines=${lines}`)
  expect((await linesOf(100_001)).status).toBe(422)
  expect(await (await linesOf(100_000)).text()).toBe('a line\n')
  expect(at.sent.map(({ query }) => query)).toStrictEqual([
    { previous: 'true', tailLines: '100000' },
  ])
})

// prettier-ignore
test.each([
  [429, '17'],
  [503, '3'],
])('a cluster that says %d says when to come again, and we do', async (code, seconds) => {
  const at = await shared(() => status(code, 'later', { 'retry-after': seconds }))
  for (const response of [
    await at.get(PODS),
    await at.get(WATCH),
    await at.get(LOG),
    await post(at.portal, RESTART),
  ]) {
    expect([response.status, response.headers.get('retry-after')]).toStrictEqual([code, seconds])
  }
})

test('a request is known to the cluster by its id, and by the trace that it is a part of', async () => {
  const at = await shared(silent())
  const headers = {
    'x-request-id': 'the-one',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    tracestate: 'vendor=opaque,other=1',
  }
  for (const path of [PODS, `${PODS}/shop-1/events`]) await at.get(path, { headers })
  for (const path of [WATCH, LOG]) await (await at.get(path, { headers })).body?.cancel()
  expect(at.sent).toHaveLength(4)
  for (const sent of at.sent) expect(sent.headers).toMatchObject(headers)
})

test.each([PODS, LOG])(
  'what nobody waits for any more is not asked to its end: %s',
  async (path) => {
    const asked = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const answer: Answer = (request) => {
      request.signal.addEventListener('abort', () => ended.resolve())
      asked.resolve()
      return new Promise(() => {})
    }
    await using at = await world(answer, undefined, { clusterDeadlineMs: 3_600_000 })
    const leave = new AbortController()
    const left = at.get(path, { signal: leave.signal })
    await asked.promise
    leave.abort()
    await ended.promise
    await left
  },
)

test('a link leads on from where it was followed to, with the rest of the request', async () => {
  const at = await shared((_, { query }) =>
    list(Array(500).fill(pod()), { continue: String(Number(query['continue'] ?? 0) + 1) }),
  )
  const next = (response: Response) =>
    new URL(/^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? '', 'http://x')
  const first = next(await at.get(`${PODS}?labelSelector=app%3Dx&unknown=1`))
  const second = next(await at.get(`${first.pathname}${first.search}`))
  expect([...second.searchParams.keys()]).toStrictEqual(['labelSelector', 'unknown', 'cursor'])
  expect(second.searchParams.get('cursor')).not.toBe(first.searchParams.get('cursor'))
  await at.get(`${second.pathname}${second.search}`)
  expect(at.sent.map(({ query }) => Number(query['continue'] ?? 0))).toStrictEqual(
    Array.from({ length: 30 }, (_, page) => page),
  )
})
