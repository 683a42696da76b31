import { expect, test } from 'bun:test'
import { deployment, is, pod, restarted } from '#tests/domain/clusters/objects.ts'
import { until } from '#tests/support/until.ts'
import { type Answer, line, list, problemOf, sharedWorld, status } from './cluster-world.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const WORKLOADS = '/api/v1/clusters/dev-east/namespaces/payments-dev/workloads'
const LOG = `${WORKLOADS}/deployment/shop/log`

const shared = sharedWorld()

const SHOP = deployment({}, { selector: { matchLabels: { app: 'shop' } } })
const podOf = (name: string, ...containers: ReturnType<typeof is>[]) =>
  pod(
    { phase: 'Running', containerStatuses: containers },
    { containers: containers.map((each) => ({ name: each.name })) },
    { name, uid: `uid-${name}` },
  )
const at = (second: number, text: string) => `2026-11-21T09:00:0${second}.000000000Z ${text}\n`

/** A stream that says so much, and stays. */
const staying = (text: string) =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(text) }))

type Log = (query: Readonly<Record<string, string>>, path: string) => Response

const cluster =
  (pods: readonly object[], log: Log, changes = '\n'): Answer =>
  (_, { path, query }) => {
    if (path.endsWith('/log')) return log(query, path)
    if (path.endsWith('/deployments/shop')) return Response.json(SHOP)
    if (path.includes('/deployments/')) return status(404, 'not found')
    return query['watch'] === 'true' ? staying(changes) : list(pods)
  }

/** Reads until the text has come. */
async function readUntil(response: Response, text: string): Promise<string> {
  let read = ''
  const decoder = new TextDecoder()
  for await (const part of response.body ?? []) {
    read += decoder.decode(part as Uint8Array, { stream: true })
    if (read.includes(text)) break
  }
  return read
}

test('all pods and containers by time, the run before first', async () => {
  const exited = restarted(1, new Date(Date.now() - 60_000).toISOString())
  const logs: Record<string, string> = {
    'shop-1 app previous': at(1, 'before') + at(2, 'the end'),
    'shop-1 app': at(5, '{"level":"info"}'),
    'shop-1 proxy': at(3, 'proxied'),
    'shop-2 app': at(4, 'between') + at(6, 'last'),
  }
  const there = await shared(
    cluster(
      [podOf('shop-1', is('app', undefined, exited), is('proxy')), podOf('shop-2', is('app'))],
      ({ container, previous }, path) =>
        new Response(
          logs[`${path.split('/').at(-2)} ${container}${previous === 'true' ? ' previous' : ''}`],
        ),
    ),
  )
  const response = await there.get(LOG)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(
    [
      at(1, 'shop-1/app before'),
      at(2, 'shop-1/app the end'),
      at(3, 'shop-1/proxy proxied'),
      at(4, 'shop-2/app between'),
      at(5, 'shop-1/app {"level":"info"}'),
      at(6, 'shop-2/app last'),
    ].join(''),
  )
  expect(there.sent.find(({ query }) => query['previous'] === 'true')?.query).toStrictEqual({
    container: 'app',
    previous: 'true',
    tailLines: '1000',
    timestamps: 'true',
  })
  expect(there.sent.find(({ path }) => path.endsWith('/pods'))?.query).toMatchObject({
    labelSelector: 'app=shop',
  })
  expect(await (await there.get(`${LOG}?tailLines=2&container=app`)).text()).toBe(
    at(5, 'shop-1/app {"level":"info"}') + at(6, 'shop-2/app last'),
  )
})

test('a run that ended long ago is not read, nor a container that has not begun', async () => {
  const there = await shared(
    cluster(
      [
        podOf(
          'shop-1',
          is('app', undefined, restarted(1, '2026-01-01T00:00:00Z')),
          is('new', { waiting: { reason: 'ContainerCreating' } }),
        ),
      ],
      () => new Response(at(1, 'now')),
    ),
  )
  expect(await (await there.get(LOG)).text()).toBe(at(1, 'shop-1/app now'))
})

test('goes on where it was read to, with pods and runs that come later', async () => {
  const after = { metadata: { resourceVersion: '8' } }
  const later = podOf('shop-2', is('app'))
  const there = await shared(
    cluster(
      [podOf('shop-1', is('app'))],
      ({ follow }, path) =>
        path.includes('shop-2')
          ? staying(at(3, 'hello'))
          : follow === 'true'
            ? staying(at(1, 'one') + at(2, 'two'))
            : new Response(at(1, 'one')),
      line('ADDED', { ...later, metadata: { ...later.metadata, ...after.metadata } }),
    ),
  )
  const text = await readUntil(await there.get(`${LOG}?follow=true&tailLines=5`), 'hello')
  expect(text.split('\n').toSorted().slice(1)).toStrictEqual(
    [at(1, 'shop-1/app one'), at(2, 'shop-1/app two'), at(3, 'shop-2/app hello')].map((each) =>
      each.trim(),
    ),
  )
  const followed = there.sent.filter(({ query }) => query['follow'] === 'true')
  expect(followed.map(({ query }) => query)).toStrictEqual([
    { container: 'app', follow: 'true', timestamps: 'true', sinceTime: '2026-11-21T09:00:01Z' },
    { container: 'app', follow: 'true', timestamps: 'true', tailLines: '10000' },
  ])
})

test('follows the run after a restart, from where the run before ended', async () => {
  const again = podOf('shop-1', is('app', undefined, restarted(1, '2026-11-21T09:00:02Z')))
  let follows = 0
  const there = await shared(
    cluster(
      [podOf('shop-1', is('app'))],
      ({ follow }) => {
        if (follow !== 'true') return new Response(at(1, 'one'))
        follows += 1
        return follows === 1
          ? new Response(at(1, 'one') + at(2, 'the end'))
          : staying(at(3, 'the next run'))
      },
      line('MODIFIED', { ...again, metadata: { ...again.metadata, resourceVersion: '8' } }),
    ),
  )
  const text = await readUntil(await there.get(`${LOG}?follow=true`), 'the next run')
  expect(text).toBe(
    at(1, 'shop-1/app one') + at(2, 'shop-1/app the end') + at(3, 'shop-1/app the next run'),
  )
  const since = there.sent.flatMap(({ query }) => query['sinceTime'] ?? [])
  expect(since).toStrictEqual(['2026-11-21T09:00:01Z', '2026-11-21T09:00:02Z'])
})

test('follows no more containers than one log may, says so, and leaves none behind', async () => {
  let open = 0
  const names = Array.from({ length: 12 }, (_, index) => `c-${index}`)
  const there = await shared((request, sent) => {
    const answer = cluster([podOf('shop-1', ...names.map((name) => is(name)))], () =>
      sent.query['follow'] === 'true' ? staying('\n') : new Response(''),
    )(request, sent)
    if (sent.query['follow'] === 'true') {
      open += 1
      request.signal.addEventListener('abort', () => (open -= 1))
    }
    return answer
  })
  const response = await there.get(`${LOG}?follow=true`)
  expect(await readUntil(response, 'not followed')).toEndWith(
    ' - 2 containers are not followed: too many streams\n',
  )
  expect(there.sent.filter(({ query }) => query['follow'] === 'true')).toHaveLength(10)
  await until(() => open === 0)
})

test('a pod that is gone makes room for another', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `c-${index}`)
  const there = await shared(
    cluster([podOf('shop-1', ...names.map((name) => is(name)))], ({ follow }) =>
      follow === 'true' ? status(404, 'pods "shop-1" not found') : new Response(''),
    ),
  )
  const follows = () => there.sent.filter(({ query }) => query['follow'] === 'true').length
  const response = await there.get(`${LOG}?follow=true`)
  await until(() => follows() === 12)
  await response.body?.cancel()
})

test('a pod whose log cannot be read is a line', async () => {
  const there = await shared(
    cluster([podOf('shop-1', is('app')), podOf('shop-2', is('app'))], (_, path) =>
      path.includes('shop-1') ? status(500, 'kubelet is away') : new Response(at(1, 'here')),
    ),
  )
  const [here, away] = (await (await there.get(LOG)).text()).split('\n')
  expect(here).toBe(at(1, 'shop-2/app here').trim())
  expect(away).toEndWith(' - shop-1/app cannot be read: kubelet is away')
})

// prettier-ignore
test.each([
  ['that the person may not read', '', 403, 'cluster_forbidden'],
  ['of more lines than may be', '?tailLines=10001', 422, 'validation_failed'],
])('a log %s', async (_, query, code, problem) => {
  const there = await shared(cluster([podOf('shop-1', is('app'))], () => status(403, 'pods/log is forbidden')))
  expect(await problemOf(await there.get(`${LOG}${query}`))).toMatchObject({ status: code, code: problem })
})

test('a job that has no selector has the log of its own pods alone', async () => {
  const [own, other] = [podOf('run-1', is('app')), podOf('shop-1', is('app'))]
  const { metadata } = SHOP
  const job = { metadata: { ...metadata, uid: 'job-1' }, spec: { template: {} } }
  const owner = { kind: 'Job', name: 'shop', uid: 'job-1', controller: true }
  const pods = [{ ...own, metadata: { ...own.metadata, ownerReferences: [owner] } }, other]
  const answer = cluster(pods, () => new Response(at(1, 'here')))
  const there = await shared((request, sent) =>
    sent.path.endsWith('/jobs/shop') ? Response.json(job) : answer(request, sent),
  )
  expect(await (await there.get(`${WORKLOADS}/job/shop/log`)).text()).toBe(at(1, 'run-1/app here'))
})

test('the log of a pod without labels asks for that pod alone', async () => {
  const shop = podOf('shop-1', is('app'))
  const there = await shared((request, sent) =>
    sent.path.endsWith('/pods/shop-1')
      ? Response.json(shop)
      : cluster([shop], () => new Response(at(1, 'now')))(request, sent),
  )
  expect(await (await there.get(`${WORKLOADS}/pod/shop-1/log`)).text()).toBe(
    at(1, 'shop-1/app now'),
  )
  expect(there.sent.find(({ path }) => path.endsWith('/pods'))?.query).toMatchObject({
    fieldSelector: 'metadata.name=shop-1',
  })
})

test('a workload that does not exist has none', async () => {
  const there = await shared(cluster([], () => new Response('')))
  expect(await outcomeOf(await there.get(`${WORKLOADS}/deployment/none/log`))).toBe(
    '404 workload_not_found',
  )
})

test('HEAD follows nothing', async () => {
  const there = await shared(cluster([podOf('shop-1', is('app'))], () => new Response('')))
  const head = await there.get(`${LOG}?follow=true`, { method: 'HEAD', undocumented: true })
  expect([head.status, await head.text()]).toStrictEqual([200, ''])
  expect(there.sent.some(({ query }) => query['follow'] === 'true')).toBe(false)
})
