import { expect, test } from 'bun:test'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { eventsOf } from '#tests/support/event-stream.ts'
import {
  condition,
  deployment,
  is,
  pod,
  restarted,
  waiting,
} from '#tests/domain/clusters/objects.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { environmentRow } from '#tests/domain/clusters/cluster-request.ts'
import { type Answer, line, list, problemOf, sharedWorld, status, world } from './cluster-world.ts'
import { auditRows } from '#tests/support/audit-rows.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const shared = sharedWorld()
const WORKLOADS = '/api/v1/clusters/dev-east/namespaces/payments-dev/workloads'
const owned = (kind: string, uid: string) => ({
  ownerReferences: [{ kind, name: 'shop', uid, controller: true }],
})

const SHOP = deployment(
  {
    replicas: 1,
    updatedReplicas: 1,
    conditions: [condition('Progressing', 'True', 'ReplicaSetUpdated')],
  },
  { replicas: 1 },
  { uid: 'd-1', annotations: { 'deployment.kubernetes.io/revision': '1' } },
)
const REPLICA_SET = {
  metadata: { ...SHOP.metadata, uid: 'r-1', name: 'shop-1', ...owned('Deployment', 'd-1') },
}
const CRASHING = pod(
  {
    phase: 'Running',
    containerStatuses: [
      is(
        'a',
        waiting('CrashLoopBackOff'),
        restarted(3, '2026-01-01T00:00:00Z', { exitCode: 137, reason: 'OOMKilled' }),
      ),
    ],
  },
  { containers: [{ name: 'a', image: 'shop:1', resources: { limits: { memory: '128Mi' } } }] },
  owned('ReplicaSet', 'r-1'),
)
const DATABASE = {
  metadata: { ...SHOP.metadata, uid: 's-1', name: 'db' },
  spec: { replicas: 0, template: {} },
  status: { observedGeneration: 1 },
}

/** A cluster of a version that has no cron jobs of this version, and a person who may not list daemon sets. */
const objects: Answer = (_, { path, query }) => {
  if (query['watch'] === 'true') {
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue('\n') }), {
      headers: { 'content-type': 'application/json' },
    })
  }
  const [plural = ''] = path.split('/').slice(-1)
  const all: Readonly<Record<string, readonly object[]>> = {
    deployments: [SHOP],
    replicasets: [REPLICA_SET],
    pods: [CRASHING],
    statefulsets: [DATABASE],
    jobs: [],
  }
  if (plural === 'cronjobs') return status(404, 'the server could not find the requested resource')
  if (plural === 'daemonsets') return status(403, 'daemonsets.apps is forbidden')
  return list(all[plural] ?? [])
}

test('everything that runs, with its verdict; what cannot be read is left out', async () => {
  const at = await shared(objects)
  const response = await at.get(WORKLOADS)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject([
    { kind: 'StatefulSet', name: 'db', health: 'Idle' },
    {
      kind: 'Deployment',
      name: 'shop',
      health: 'Degraded',
      reason: 'OOMKilled',
      message: '1 of 1 pods: OOMKilled, memory limit 128Mi',
    },
  ])
  expect(new Set(at.sent.map(({ path }) => path.split('/').at(-1)))).toStrictEqual(
    new Set(Object.values(RESOURCES).map(({ plural }) => plural)),
  )
  expect(response.headers.get('etag')).not.toBeNull()
})

test('some kinds, of some labels', async () => {
  const at = await shared(objects)
  const response = await at.get(`${WORKLOADS}?kind=statefulset,job&labelSelector=tier%3Ddb`)
  expect(await response.json()).toMatchObject([{ kind: 'StatefulSet' }])
  expect(new Set(at.sent.map(({ query }) => query['labelSelector']))).toStrictEqual(
    new Set(['tier=db']),
  )
})

test('a kind that there is not is 422', async () => {
  const at = await shared(objects)
  expect(await outcomeOf(await at.get(`${WORKLOADS}?kind=secret`))).toBe('422 validation_failed')
  expect(at.sent).toStrictEqual([])
})

test('who may list nothing is refused', async () => {
  const at = await shared(() => status(403, 'forbidden: it'))
  expect(await problemOf(await at.get(WORKLOADS))).toStrictEqual({
    status: 403,
    code: 'cluster_forbidden',
    detail: 'forbidden: it',
  })
})

test('one type that fails otherwise fails the list: it would look complete', async () => {
  const at = await shared((request, sent) =>
    sent.path.endsWith('/jobs') ? status(503, 'not now') : objects(request, sent),
  )
  expect(await problemOf(await at.get(WORKLOADS))).toMatchObject({ code: 'cluster_unavailable' })
})

test('a topic follows them, of some labels', async () => {
  const added = line('ADDED', {
    ...DATABASE,
    metadata: { ...DATABASE.metadata, resourceVersion: '9', uid: 's-2', name: 'search' },
  })
  const at = await shared((request, sent) =>
    sent.path.endsWith('/statefulsets') && sent.query['watch'] === 'true'
      ? new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(`\n${added}`) }),
          { headers: { 'content-type': 'application/json' } },
        )
      : objects(request, sent),
  )
  const topic = 'workloads:dev-east/payments-dev?app.kubernetes.io/name=Shop&tier=web'
  const response = await at.get(`/api/v1/events?topics=${encodeURIComponent(topic)}`)
  const events = eventsOf(response)
  const snapshot = (await events.next()).value
  expect(snapshot).toMatchObject({
    event: 'workloads',
    data: { topic, type: 'snapshot', value: { first: true, last: true } },
  })
  const change = (await events.next()).value
  expect(change).toMatchObject({ data: { type: 'set', value: { name: 'search', health: 'Idle' } } })
  expect(at.sent[0]?.query['labelSelector']).toBe('app.kubernetes.io/name=Shop,tier=web')
  await events.return()
})

test('the topics of pods and deployments take labels too', async () => {
  const at = await shared(objects)
  const response = await at.get(
    `/api/v1/events?topics=${encodeURIComponent('pods:dev-east/payments-dev?app=Shop')}`,
  )
  const events = eventsOf(response)
  expect((await events.next()).value).toMatchObject({ data: { type: 'snapshot' } })
  expect(at.sent[0]?.query['labelSelector']).toBe('app=Shop')
  await events.return()
})

test('the topics of pods and deployments take a name, and workloads have none', async () => {
  const at = await shared(objects)
  const ask = (topic: string) => at.get(`/api/v1/events?topics=${encodeURIComponent(topic)}`)
  const events = eventsOf(await ask('pods:dev-east/payments-dev/shop-1.x'))
  expect((await events.next()).value).toMatchObject({ data: { type: 'snapshot' } })
  // The watch of the stream before may still be opened.
  const [list] = at.sent.filter(({ query }) => query['limit'] !== undefined)
  expect(list?.query['fieldSelector']).toBe('metadata.name=shop-1.x')
  await events.return()
  for (const topic of [
    'workloads:dev-east/payments-dev/db',
    'pods:dev-east/payments-dev/',
    'pods:dev-east/payments-dev/a/b',
    'pods:dev-east/payments-dev/a%2Cb',
    'pods:dev-east/payments-dev/x,metadata.namespace=b',
  ]) {
    expect([topic, (await ask(topic)).status]).toStrictEqual([topic, 422])
  }
})

test('labels that are none are refused for good', async () => {
  const at = await shared(() => status(400, 'unable to parse requirement'))
  const response = await at.get(
    `/api/v1/events?topics=${encodeURIComponent('workloads:dev-east/payments-dev?=')}`,
  )
  const events = eventsOf(response)
  expect((await events.next()).value).toMatchObject({
    data: { type: 'refused', value: { code: 'validation_failed' } },
  })
  await events.return()
})

test('a stateful set is restarted like a deployment, and has its audit row', async () => {
  const at = await shared((request) => {
    const generation = request.method === 'PATCH' ? 2 : 1
    return Response.json({ ...DATABASE, metadata: { ...DATABASE.metadata, generation } })
  })
  const path = `${WORKLOADS}/statefulset/db/restart`
  const response = await at.portal.request(path, { method: 'POST', as: 'dev' })
  expect(response.status).toBe(202)
  expect(await response.json()).toMatchObject({ name: 'db', generation: 2 })
  expect(at.sent.map(({ method, path }) => `${method} ${path}`)).toStrictEqual([
    'GET /apis/apps/v1/namespaces/payments-dev/statefulsets/db',
    'PATCH /apis/apps/v1/namespaces/payments-dev/statefulsets/db',
  ])
  expect(await auditRows(at.portal, 'action=cluster.restart')).toMatchObject([
    { target: 'statefulset/dev-east/payments-dev/db', result: 'done' },
  ])
})

test.each([
  ['job', 422, 'validation_failed'],
  ['daemonset', 404, 'workload_not_found'],
])('a %s: %d', async (kind, code, problem) => {
  const at = await shared(() => status(404, 'not found'))
  const path = `${WORKLOADS}/${kind}/db/restart`
  const response = await at.portal.request(path, { method: 'POST', as: 'dev' })
  expect(await problemOf(response)).toMatchObject({ status: code, code: problem })
})

test('the health of applications comes from watches, and then from memory', async () => {
  const named = { ...SHOP.metadata, labels: { 'app.kubernetes.io/name': 'shop' } }
  await using at = await world(
    (request, sent) =>
      sent.path.endsWith('/deployments/shop')
        ? Response.json({ ...SHOP, metadata: named })
        : objects(request, sent),
    (one) => [{ ...one, environments: [environmentRow('dev', '{team}-dev')] }],
    {
      files: {
        ...applicationFiles({ lifecycle: 'development' }),
        'apps/payments/shop/overlays/dev/kustomization.yaml':
          'resources: [../../base]\nimages: [{ name: ghcr.io/acme/shop, newTag: "1.2" }]\n',
      },
    },
  )
  const first = await at.get('/api/v1/health?mine=true')
  expect(first.status).toBe(200)
  expect(await first.json()).toMatchObject([
    {
      entity: { kind: 'Component', name: 'shop' },
      environment: 'dev',
      cluster: 'dev-east',
      namespace: 'payments-dev',
      health: 'Unknown',
      reason: 'NoWorkload',
    },
  ])
  const asked = at.sent.filter(({ query }) => query['labelSelector'] !== undefined)
  expect(new Set(asked.map(({ query }) => query['labelSelector']))).toStrictEqual(
    new Set(['app.kubernetes.io/name']),
  )
  const lists = () => at.sent.filter(({ query }) => query['limit'] !== undefined).length
  const before = lists()
  const again = await at.get('/api/v1/health?entity=component/shop', {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
  expect(lists()).toBe(before)
  expect(await (await at.get('/api/v1/health?team=shipping')).json()).toStrictEqual([])
  expect(await (await at.get(`${WORKLOADS}/deployment/shop`)).json()).toMatchObject({
    inGit: {
      entity: { kind: 'Component', name: 'shop' },
      environment: 'dev',
      image: { tag: '1.2', digest: null },
    },
  })
})
