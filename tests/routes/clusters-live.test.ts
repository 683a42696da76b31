import { expect, test } from 'bun:test'
import { allEvents, eventsOf } from '#tests/support/event-stream.ts'
import { expectEventsDocumented } from '#tests/support/openapi.ts'
import { deployment, pod } from '#tests/domain/clusters/objects.ts'
import { type Answer, DEPLOYMENTS, line, list, PODS, sharedWorld } from './cluster-world.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const shared = sharedWorld()

const watched =
  (...later: string[]): Answer =>
  (_, { query }) => {
    if (query['watch'] !== 'true') return list([pod()])
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue('\n')
          for (const each of later) controller.enqueue(each)
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    )
  }

test('a watch tells what there is and what changes', async () => {
  const changed = pod({ phase: 'Failed' }, {}, { resourceVersion: '8' })
  const at = await shared(watched(line('MODIFIED', changed)))
  const response = await at.get(`${PODS}?watch=true&labelSelector=app%3Dx`)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = eventsOf(response)
  const snapshot = (await events.next()).value
  expect(snapshot).toMatchObject({
    event: 'snapshot',
    data: { first: true, last: true, items: [{ name: 'shop-5d4f-x' }] },
  })
  const change = (await events.next()).value
  expect(change).toMatchObject({ id: '2', event: 'set', data: { status: 'Failed' } })
  expectEventsDocumented(
    'listPods',
    [snapshot, change].filter((event) => event !== undefined),
  )
  expect(at.sent.at(-1)?.query).toMatchObject({
    watch: 'true',
    resourceVersion: '7',
    labelSelector: 'app=x',
  })
  await events.return()
})

test('a watch that fails says so, last', async () => {
  const gone = line('ERROR', { kind: 'Status', code: 403, message: 'you may not any more' })
  const at = await shared((_, { query }) =>
    query['watch'] === 'true'
      ? new Response(gone, { headers: { 'content-type': 'application/json' } })
      : list([deployment()]),
  )
  const events = await allEvents(await at.get(`${DEPLOYMENTS}?watch=true`))
  expect(events.map(({ id, event }) => `${id} ${event}`)).toStrictEqual(['1 snapshot', '2 failed'])
  expectEventsDocumented('listDeployments', events)
  expect(events[0]?.data).toMatchObject({ items: [{ name: 'shop', status: 'Progressing' }] })
  expect(events[1]?.data).toStrictEqual({
    code: 'cluster_forbidden',
    title: 'The cluster does not allow you this',
    detail: 'you may not any more',
  })
  expect(at.sent.map(({ path }) => path)).toStrictEqual(
    Array(2).fill('/apis/apps/v1/namespaces/payments-dev/deployments'),
  )
})

test('a watch tells of more than a list shows, page by page', async () => {
  const at = await shared((_, { query }) => {
    if (query['watch'] === 'true') return new Response(new ReadableStream())
    const page = Number(query['continue'] ?? 0)
    const items = Array.from({ length: Number(query['limit']) }, (__, index) =>
      pod({}, {}, { uid: `${page}-${index}` }),
    )
    return list(items, page === 59 ? {} : { continue: String(page + 1) })
  })
  const events = eventsOf(await at.get(`${PODS}?watch=true`))
  const seen = new Set<unknown>()
  for await (const { event, data } of events) {
    expect(event).toBe('snapshot')
    expect(data['first']).toBe(seen.size === 0)
    for (const { uid } of data['items'] as { uid: string }[]) seen.add(uid)
    if (data['last'] === true) break
  }
  expect(seen.size).toBe(6_000)
})

test('a watch begins at no cursor', async () => {
  const at = await shared(watched())
  const response = await at.get(`${PODS}?watch=true&cursor=abc`)
  expect(await outcomeOf(response)).toBe('422 validation_failed')
  expect(at.sent).toStrictEqual([])
})

test('twenty streams are one person’s share, and leaving gives one back', async () => {
  const at = await shared(watched())
  const open = await Promise.all(Array.from({ length: 20 }, () => at.get(`${PODS}?watch=true`)))
  expect(open.every(({ status }) => status === 200)).toBe(true)
  const refused = await at.get(`${PODS}?watch=true`)
  expect(await outcomeOf(refused)).toBe('429 rate_limited')
  expect((await at.get(`${PODS}/shop-1/log`)).status).toBe(429)
  expect((await at.get(PODS)).status).toBe(200)
  await open[0]?.body?.cancel()
  const again = await at.get(`${PODS}?watch=true`)
  expect(again.status).toBe(200)
  for (const each of [again, ...open.slice(1)]) await each.body?.cancel()
})

test('HEAD opens no stream', async () => {
  const at = await shared(watched())
  for (let i = 0; i < 25; i++) {
    const head = await at.get(`${PODS}?watch=true`, { method: 'HEAD', undocumented: true })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toStrictEqual([
      200,
      'text/event-stream',
      '',
    ])
  }
  expect(at.sent.some(({ query }) => query['watch'] === 'true')).toBe(false)
})

test('a log is passed on as it is written', async () => {
  const gate = Promise.withResolvers<void>()
  const at = await shared(
    () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue('first\n')
            await gate.promise
            controller.enqueue('<b>second</b>\n')
            controller.close()
          },
        }),
      ),
  )
  const response = await at.get(`${PODS}/shop-1/log?container=app&follow=true&tailLines=10`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const reader = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first\n')
  gate.resolve()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('<b>second</b>\n')
  expect((await reader?.read())?.done).toBe(true)
  expect(at.sent[0]).toMatchObject({
    path: '/api/v1/namespaces/payments-dev/pods/shop-1/log',
    query: { container: 'app', follow: 'true', tailLines: '10' },
  })
})
