import { afterEach, describe, expect, jest, test } from 'bun:test'
import { kubernetesClient } from '#tests/support/kubernetes-client.ts'
import { err } from '#src/lib/result.ts'
import { apiServer } from '#tests/support/api-server.ts'
import { deployment, pod } from '#tests/domain/clusters/objects.ts'
import { calls, clusters, list, NAME, PAGE, same } from './calls.ts'

const KILOBYTE = 1024
const JSON_TYPE = { headers: { 'content-type': 'application/json' } }
const TIMEOUT = err({ kind: 'cluster_timeout' })

afterEach(() => void jest.useRealTimers())

/** An API server that says no more than this of an answer, and tells when it was asked. */
async function silentAfter(text: string | null) {
  const asked = Promise.withResolvers<void>()
  const server = await apiServer(() => {
    asked.resolve()
    if (text === null) return new Promise(() => {})
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(text) }),
      JSON_TYPE,
    )
  })
  return { server, asked: asked.promise, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

describe('when nobody says otherwise', () => {
  test.each(calls)('%s has ten seconds', async (_, call) => {
    await using at = await silentAfter(null)
    jest.useFakeTimers()
    const answer = call(at.server.access, kubernetesClient())
    await at.asked
    jest.advanceTimersByTime(9_999)
    // Long enough for whatever has ended to be told.
    await new Promise(setImmediate)
    expect(Bun.peek.status(answer)).toBe('pending')
    jest.advanceTimersByTime(1)
    expect(await answer).toStrictEqual(TIMEOUT)
  })

  test('a watch that went silent is given up after 80 seconds', async () => {
    const line = { type: 'ADDED', object: pod({}, {}, { resourceVersion: '8' }) }
    await using at = await silentAfter(`${JSON.stringify(line)}\n`)
    jest.useFakeTimers()
    const from = { resourceVersion: '7', labelSelector: null }
    const { pods } = kubernetesClient()
    const watch = pods.watch(at.server.access, from, same)[Symbol.asyncIterator]()
    expect(await watch.next()).toMatchObject({ value: { ok: true } })
    const next = watch.next()
    jest.advanceTimersByTime(79_999)
    await new Promise(setImmediate)
    expect(Bun.peek.status(next)).toBe('pending')
    jest.advanceTimersByTime(1)
    expect(await next).toStrictEqual({ done: false, value: TIMEOUT as never })
    expect(await watch.next()).toStrictEqual({ done: true, value: undefined })
  })

  test('one API server takes eight requests at a time, of one person two', async () => {
    const full = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    await using server = await apiServer(async () => {
      if (server.sent.length === 8) full.resolve()
      await go.promise
      return list([])
    })
    const kubernetes = kubernetesClient()
    const all = Array.from({ length: 40 }, (_, index) =>
      kubernetes.pods.list({ ...server.access, token: `person-${index % 5}` }, PAGE, same),
    )
    await full.promise
    await Bun.sleep(20)
    expect(server.sent).toHaveLength(8)
    const people = Map.groupBy(server.sent, ({ headers }) => headers['authorization'])
    expect(Math.max(...[...people.values()].map(({ length }) => length))).toBe(2)
    go.resolve()
    await Promise.all(all)
    expect(server.sent).toHaveLength(40)
  })
})

test('one request is always let through, however few there are', async () => {
  await using server = await apiServer((_, { path }) =>
    path === '/readyz' ? new Response('ok') : list([]),
  )
  const few = kubernetesClient({ requestsAtOnce: 1 })
  expect(await few.pods.list(server.access, PAGE, same)).toMatchObject({ ok: true })
  expect(await few.probe(server.cluster)).toMatchObject({ kind: 'ready' })
})

describe('an answer that is no success', () => {
  /** A Status of so many bytes. */
  const statusOf = (bytes: number) => {
    const text = JSON.stringify({ kind: 'Status', message: 'no', more: '' })
    return text.replace('"more":""', `"more":"${'x'.repeat(bytes - text.length)}"`)
  }

  test.each([
    ['64 KB', 64 * KILOBYTE, 'no'],
    ['no more', 64 * KILOBYTE + 1, ''],
  ])('is read up to %s', async (_, bytes, message) => {
    await using server = await apiServer(
      () => new Response(statusOf(bytes), { status: 403, ...JSON_TYPE }),
    )
    expect(await clusters.pods.list(server.access, PAGE, same)).toStrictEqual(
      err({ kind: 'cluster_forbidden', message }),
    )
  })

  test('is repeated up to a thousand characters', async () => {
    const message = 'x'.repeat(2_000)
    await using server = await apiServer(() =>
      Response.json({ kind: 'Status', message }, { status: 403 }),
    )
    expect(await clusters.pods.list(server.access, PAGE, same)).toStrictEqual(
      err({ kind: 'cluster_forbidden', message: 'x'.repeat(1_000) }),
    )
  })

  test.each([
    ['that is no Status', { kind: 'Problem', message: 'of somebody else' }, ''],
    ['with signs that turn text around', { kind: 'Status', message: 'a\u202eb' }, 'a b'],
  ])('%s is not repeated as it is', async (_, body, message) => {
    await using server = await apiServer(() => Response.json(body, { status: 403 }))
    expect(await clusters.pods.list(server.access, PAGE, same)).toStrictEqual(
      err({ kind: 'cluster_forbidden', message }),
    )
  })

  test.each([
    ['at once', 0, 1],
    ['before now', -1, 1],
  ])('that says to come again %s is come back to in a second', async (_, seconds, expected) => {
    const details = { retryAfterSeconds: seconds }
    await using server = await apiServer(() =>
      Response.json({ kind: 'Status', details }, { status: 429 }),
    )
    expect(await clusters.pods.list(server.access, PAGE, same)).toStrictEqual(
      err({ kind: 'cluster_rate_limited', retryAfterSeconds: expected }),
    )
  })
})

describe('an object', () => {
  test('may have four megabytes, and no more', async () => {
    const large = (bytes: number) => {
      const text = JSON.stringify({ ...deployment(), filling: '' })
      return text.replace('"filling":""', `"filling":"${'x'.repeat(bytes - text.length)}"`)
    }
    const answers = [large(4 * KILOBYTE ** 2), large(4 * KILOBYTE ** 2 + 1)]
    await using server = await apiServer(() => new Response(answers.shift() ?? '', JSON_TYPE))
    expect(await clusters.deployments.read(server.access, NAME)).toMatchObject({ ok: true })
    expect(await clusters.deployments.read(server.access, NAME)).toStrictEqual(
      err({ kind: 'cluster_error', reason: 'more than 4194304 bytes' }),
    )
  })

  test.each([
    ['of another kind', { kind: 'Status' }, 'json', 'the answer has an unexpected shape'],
    ['that does not say that it is JSON', deployment(), 'jsonp', 'the answer is no JSON'],
  ])('%s is none', async (_, object, type, reason) => {
    const headers = { 'content-type': `application/${type}` }
    await using server = await apiServer(() => Response.json(object, { headers }))
    expect(await clusters.deployments.read(server.access, NAME)).toStrictEqual(
      err({ kind: 'cluster_error', reason }),
    )
  })
})

describe('an answer that is not read to its end is let go at once', () => {
  type Access = Awaited<ReturnType<typeof apiServer>>['access']
  const pods = (access: Access) => clusters.pods.list(access, PAGE, same)
  const object = (access: Access) => clusters.deployments.read(access, NAME)

  // prettier-ignore
  test.each<[string, (access: Access) => Promise<unknown>, string, number]>([
    ['a page for a list',            pods,   'text/html',        200],
    ['a page for an object',         object, 'text/html',        200],
    ['a page for a refusal',         pods,   'text/html',        403],
    ['a refusal without an end',     pods,   'application/json', 403],
    ['an object without an end',     object, 'application/json', 200],
    ['a list of something else',     pods,   'application/json', 200],
    ['a health that goes on',        ({ cluster }) => clusters.probe(cluster), 'text/plain', 200],
  ])('%s', async (_, call, type, status) => {
    const left = Promise.withResolvers<void>()
    const text = '{"items":[' + ' '.repeat(256 * KILOBYTE) + '1'
    await using server = await apiServer((request, { path }) => {
      if (path === '/version') return Response.json({})
      request.signal.addEventListener('abort', () => left.resolve())
      // Silent after five megabytes: nothing but who reads ends it.
      const body = new ReadableStream({
        start(controller) {
          const megabytes = type === 'application/json' ? 5 : 0
          for (let part = 0; part <= 4 * megabytes; part++) controller.enqueue(text)
        },
      })
      return new Response(body, { status, headers: { 'content-type': type } })
    })
    // No deadline passes: it would end the request too.
    jest.useFakeTimers()
    await call(server.access)
    await left.promise
  })
})
