import { describe, expect, test } from 'bun:test'
import { allEvents, eventsOf, type ReceivedEvent } from '#tests/support/event-stream.ts'
import { expectEventsDocumented } from '#tests/support/openapi.ts'
import { Label } from '#src/lib/names.ts'
import { component, type Person, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import { deployment, pod } from '#tests/domain/clusters/objects.ts'
import {
  type Answer,
  line,
  list,
  PODS,
  problemOf,
  sharedWorld,
  status,
  world,
} from './cluster-world.ts'

const RUN = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'
const shared = sharedWorld()

const topics = (...names: string[]) => `/api/v1/events?topics=${names.join(',')}`

const JSON_TYPE = { headers: { 'content-type': 'application/json' } }

/** Lists a pod or a deployment; a watch of pods begins with these lines. */
const watched =
  (...lines: string[]): Answer =>
  (_, { path, query }) => {
    const isOfPods = path.endsWith('pods')
    if (query['watch'] !== 'true') return list([isOfPods ? pod() : deployment()])
    const start = ['\n', ...(isOfPods ? lines : [])].join('')
    return new Response(new ReadableStream({ start: (body) => body.enqueue(start) }), JSON_TYPE)
  }

/** Reads events until each topic has as many as a test expects. */
async function take(response: Response, count: number): Promise<readonly ReceivedEvent[]> {
  expect(response.status).toBe(200)
  const taken: ReceivedEvent[] = []
  for await (const event of eventsOf(response)) if (taken.push(event) === count) break
  expectEventsDocumented('followTopics', taken)
  return taken
}

const storyOf = (events: readonly ReceivedEvent[]) =>
  events.map(({ event, data }) => [event, data['topic'], data['type']].join(' ')).toSorted()

describe('what a request names', () => {
  const codes = async (path: string) => {
    const at = await shared(watched())
    const response = await at.get(path)
    expect(response.status).toBe(422)
    const { errors } = (await response.json()) as { errors: { path: string; rule: string }[] }
    return errors.map(({ path, rule }) => [path, rule])
  }

  test.each([
    ['no topics', '/api/v1/events', [['/query/topics', 'required']]],
    ['an empty list', topics(''), [['/query/topics', 'required']]],
    ['a topic twice', topics('catalog', 'catalog'), [['/query/topics/1', 'duplicate']]],
    [
      'unknown topics',
      topics('catalog', 'pod:dev-east/payments-dev', 'constructor', `run:${RUN}`, 'run:1'),
      [
        ['/query/topics/1', 'topic'],
        ['/query/topics/2', 'topic'],
        ['/query/topics/4', 'topic'],
      ],
    ],
    ['a long name', topics('x'.repeat(700)), [['/query/topics/0', 'max_length']]],
  ])('%s', async (_, path, expected) => expect(await codes(path)).toStrictEqual(expected))

  test.each([
    'catalog:x',
    'promotion',
    'promotion:component',
    'promotion:component/',
    'promotion:component/shop/x',
    'promotion:component/..',
    'promotions:x',
    'pods',
    'pods:dev-east',
    'pods:dev-east/',
    'pods:dev-east/a/b/c',
    'pods:dev-east/a/B',
    'workloads:dev-east/a/b',
    'pods:Dev/a',
    'deployments:../x',
    'run',
    `run:${RUN.toUpperCase()}`,
  ])('no topic: %s', async (name) => {
    expect(await codes(topics(encodeURIComponent(name)))).toStrictEqual([
      ['/query/topics/0', 'topic'],
    ])
  })

  test('twenty topics are one stream, and 21 are none', async () => {
    const at = await shared(watched())
    const names = Array.from({ length: 21 }, (_, index) => `pods:dev-east/team-${index}`)
    expect(await codes(topics(...names))).toStrictEqual([['/query/topics', 'max_items']])
    const events = await take(await at.get(topics(...names.slice(1))), 20)
    expect(new Set(events.map(({ data }) => data['topic'])).size).toBe(20)
  })
})

test('a page hears of all its topics over one connection', async () => {
  const changed = pod({ phase: 'Failed' }, {}, { resourceVersion: '8' })
  const at = await shared(watched(line('MODIFIED', changed)))
  const response = await at.get(
    topics('catalog', 'pods:dev-east/payments-dev', 'deployments:dev-east/payments-dev'),
  )
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  const events = await take(response, 4)
  expect(storyOf(events)).toStrictEqual([
    'catalog catalog changed',
    'deployments deployments:dev-east/payments-dev snapshot',
    'pods pods:dev-east/payments-dev set',
    'pods pods:dev-east/payments-dev snapshot',
  ])
  const { value } = events.find(({ event }) => event === 'catalog')?.data ?? {}
  const lists = await at.get('/api/v1/catalog/entities')
  expect(value).toStrictEqual({ revision: lists.headers.get('x-catalog-revision') })
})

test('a topic that may not be seen is refused, and the others go on', async () => {
  await using at = await world(
    (request, sent) =>
      sent.path.includes('forbidden') ? status(403, 'pods is forbidden') : watched()(request, sent),
    (one) => [one, { ...one, id: Label.of('prod-west'), groups: ['platform-team'] }],
  )
  const names = ['pods:prod-west/a', 'pods:unknown/a', 'pods:dev-east/forbidden', `run:${RUN}`]
  const events = await take(await at.get(topics(...names, 'pods:dev-east/a', 'catalog')), 6)
  const refused = events.filter(({ data }) => data['type'] === 'refused')
  const codeOf = (name: string) =>
    refused.find(({ data }) => data['topic'] === name)?.data['value'] as object
  expect(names.map(codeOf)).toStrictEqual([
    { code: 'cluster_not_found', title: 'There is no such cluster' },
    { code: 'cluster_not_found', title: 'There is no such cluster' },
    {
      code: 'cluster_forbidden',
      title: 'The cluster does not allow you this',
      detail: 'pods is forbidden',
    },
    { code: 'run_not_found', title: 'There is no such run' },
  ])
  expect(storyOf(events.filter((event) => !refused.includes(event)))).toStrictEqual([
    'catalog catalog changed',
    'pods pods:dev-east/a snapshot',
  ])
})

test('a dark cluster holds up none of the others, and is there as soon as it answers', async () => {
  let isDark = true
  const ids = ['a', 'b', 'c', 'd', 'e']
  await using at = await world(
    async (request, sent) => {
      if (sent.path.includes('dark') && isDark) {
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      }
      return watched()(request, sent)
    },
    (one) => [...ids, 'dark'].map((id) => ({ ...one, id: Label.of(id) })),
    // Long enough for the others. A page and its topics: another try is no other stream.
    { clusterDeadlineMs: 3_000, environment: { STREAMS_PER_MINUTE: '7' } },
  )
  const names = [...ids.map((id) => `pods:${id}/shop`), 'pods:dark/dark']
  const seen: string[] = []
  for await (const { data } of eventsOf(await at.get(topics(...names)))) {
    seen.push(`${String(data['topic'])} ${String(data['type'])}`)
    if (seen.length === 6) isDark = false
    if (seen.length === 7) break
  }
  expect(seen.slice(0, 5).toSorted()).toStrictEqual(ids.map((id) => `pods:${id}/shop snapshot`))
  expect(seen.slice(5)).toStrictEqual(['pods:dark/dark failed', 'pods:dark/dark snapshot'])
})

test('a change of the catalog is told at once, and only once to a client that comes again', async () => {
  await using at = await world(watched())
  const page = await at.get(topics('catalog'))
  const events = eventsOf(page)
  const first = (await events.next()).value
  await at.portal.commit({ 'catalog/new.yaml': component('new') })
  const told = events.next()
  const refreshed = await at.portal.request('/api/v1/webhooks/catalog/refresh', {
    method: 'POST',
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
  })
  expect(refreshed.status).toBe(204)
  const second = (await told).value
  expect(second?.data['value']).not.toStrictEqual(first?.data['value'])
  await events.return()

  const begin = async (headers: Record<string, string>, query = '') => {
    const again = eventsOf(
      await at.get(`${topics('catalog', 'pods:dev-east/a')}${query}`, { headers }),
    )
    const { value } = await again.next()
    await again.return()
    return value?.event
  }
  expect(await begin({ 'last-event-id': second?.id ?? '' })).toBe('pods')
  expect(await begin({}, `&after=${second?.id}`)).toBe('pods')
  const missed = await at.get(topics('catalog'), { headers: { 'last-event-id': first?.id ?? '' } })
  expect((await take(missed, 1))[0]?.data).toStrictEqual(second?.data)
})

test('the events of a run are those of its own stream, from the last one seen', async () => {
  await using at = await world(watched())
  const begun = await at.get('/api/v1/scaffold', {
    json: {
      templateId: 'service',
      appName: 'refund-api',
      team: 'payments',
      namespace: 'payments-dev',
    },
  })
  const own = await allEvents(begun)
  const name = `run:${begun.headers.get('x-run-id')}`
  const page = await allEvents(await at.get(topics(name)))
  expectEventsDocumented('followTopics', page)
  expect(page.map(({ data }) => data)).toStrictEqual(
    own.map(({ event, data }) => ({ topic: name, type: event, value: data })),
  )
  const headers = { 'last-event-id': page.at(-2)?.id ?? '' }
  const rest = await allEvents(await at.get(topics(name), { headers }))
  expect(rest).toStrictEqual(page.slice(-1))
  const others = await at.portal.request(topics(name), { as: 'outsider' })
  expect((await allEvents(others))[0]?.data['type']).toBe('refused')
})

test('HEAD gets the headers and opens nothing', async () => {
  const at = await shared(watched())
  const name = topics('pods:dev-east/a')
  const head = await at.get(name, { method: 'HEAD', undocumented: true })
  expect([head.status, head.headers.get('content-type'), await head.text()]).toStrictEqual([
    200,
    'text/event-stream',
    '',
  ])
  expect(at.sent).toStrictEqual([])
})

test('the slots of lists are those of their own streams, and a failed topic keeps none', async () => {
  const at = await shared(watched())
  const own = await Promise.all(Array.from({ length: 19 }, () => at.get(`${PODS}?watch=true`)))
  const page = eventsOf(await at.get(topics('pods:dev-east/a', 'pods:dev-east/b')))
  const told = [(await page.next()).value, (await page.next()).value]
  expect(told.map((event) => String(event?.data['type'])).toSorted()).toStrictEqual([
    'failed',
    'snapshot',
  ])
  const failure = told.find((event) => event?.data['type'] === 'failed')?.data['value']
  expect(failure).toMatchObject({ code: 'rate_limited' })
  await page.return()
  for (const each of own) await each.body?.cancel()
  const all = await Promise.all(Array.from({ length: 20 }, () => at.get(`${PODS}?watch=true`)))
  expect(all.map(({ status }) => status)).toStrictEqual(Array(20).fill(200))
  for (const each of all) await each.body?.cancel()
})

test('a person has so many pages, and a page that is left is none', async () => {
  await using at = await world(watched())
  const open = await Promise.all(Array.from({ length: 100 }, () => at.get(topics('catalog'))))
  expect(open.every(({ status }) => status === 200)).toBe(true)
  expect(await problemOf(await at.get(topics('catalog')))).toMatchObject({ status: 429 })
  await open[0]?.body?.cancel()
  const again = await at.get(topics('catalog'))
  expect(again.status).toBe(200)
  for (const each of [...open, again]) await each.body?.cancel()
})

test('each topic that opens a stream counts as one', async () => {
  await using at = await world(watched(), undefined, { environment: { STREAMS_PER_MINUTE: '3' } })
  const names = ['pods:dev-east/a', `run:${RUN}`, 'deployments:dev-east/a', 'catalog']
  const events = await take(await at.get(topics(...names)), 4)
  expect(storyOf(events)).toStrictEqual([
    'catalog catalog changed',
    'deployments deployments:dev-east/a failed',
    'pods pods:dev-east/a snapshot',
    `run run:${RUN} refused`,
  ])
})

test('SEC-A4 a page ends with its session, and with the service', async () => {
  await using at = await world(watched())
  const page = (as: Person) => at.portal.request(topics('catalog', 'pods:dev-east/a'), { as })
  const [own, other] = (await Promise.all([page('dev'), page('manager')])).map((response) =>
    response.text(),
  )
  await at.portal.request('/api/v1/auth/logout', { method: 'POST', as: 'dev' })
  expect(await own).not.toContain('going down')
  expect(Bun.peek.status(other)).toBe('pending')
  at.portal.portal.drain()
  expect(await other).toEndWith(': the service is going down, come again\n\n')
})
