import { expect, test } from 'bun:test'
import { selects } from '#src/lib/domain/clusters/workloads/neighbours.ts'
import {
  condition,
  deployment,
  is,
  pod,
  restarted,
  waiting,
} from '#tests/domain/clusters/objects.ts'
import { type Answer, list, problemOf, sharedWorld, status } from './cluster-world.ts'

const shared = sharedWorld()
const WORKLOADS = '/api/v1/clusters/dev-east/namespaces/payments-dev/workloads'
const owned = (kind: string, name: string, uid: string) => ({
  ownerReferences: [{ kind, name, uid, controller: true }],
})
const LABELS = { app: 'shop', 'pod-template-hash': 'new' }

const SHOP = deployment(
  {
    replicas: 1,
    updatedReplicas: 1,
    conditions: [condition('Progressing', 'True', 'ReplicaSetUpdated')],
  },
  { replicas: 1, selector: { matchLabels: { app: 'shop' } } },
  { uid: 'd-1', name: 'shop', annotations: { 'deployment.kubernetes.io/revision': '2' } },
)
const meta = (name: string, more: object = {}) => ({
  metadata: { ...SHOP.metadata, uid: `uid-${name}`, name, annotations: {}, ...more },
})
const replicaSet = (name: string, revision: string, image: string, uid = 'd-1') => ({
  ...meta(name, {
    uid: `uid-${name}`,
    labels: { 'pod-template-hash': name.split('-')[1] ?? '' },
    annotations: { 'deployment.kubernetes.io/revision': revision },
    ...owned('Deployment', 'shop', uid),
  }),
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'a', image }] } } },
})
const CRASHING = pod(
  {
    phase: 'Running',
    qosClass: 'Burstable',
    conditions: [condition('Ready', 'False', 'ContainersNotReady')],
    containerStatuses: [
      is(
        'a',
        waiting('CrashLoopBackOff'),
        restarted(3, '2026-01-01T00:00:00Z', { exitCode: 137, reason: 'OOMKilled' }),
      ),
    ],
  },
  {
    containers: [
      {
        name: 'a',
        image: 'shop:2',
        startupProbe: { httpGet: { path: '/ready?token=secret', port: 'http' }, periodSeconds: 5 },
        livenessProbe: { exec: { command: ['check', '--password=secret'] }, failureThreshold: 6 },
        readinessProbe: { tcpSocket: { port: 5432 }, initialDelaySeconds: 2, timeoutSeconds: 3 },
        resources: { requests: { cpu: '50m' }, limits: { memory: '128Mi' } },
      },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'shop-data' } }, { name: 'tmp' }],
  },
  {
    ...owned('ReplicaSet', 'shop-new', 'uid-shop-new'),
    uid: 'p-1',
    name: 'shop-new-1',
    labels: LABELS,
  },
)
/** Of another deployment, whose selector meets this one's. */
const STRANGER = pod(
  {},
  {},
  {
    ...owned('ReplicaSet', 'other', 'uid-other'),
    uid: 'p-2',
    name: 'other-1',
    labels: LABELS,
  },
)
const event = (name: string, uid: string) => ({
  metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
  involvedObject: { kind: 'Pod', name: 'x', uid },
  reason: name,
})
const service = (name: string, selector?: object) => ({
  ...meta(name),
  spec: { ...(selector && { selector }), ports: [{ port: 80, targetPort: 'http' }] },
})
const ingress = (name: string, to: string) => ({
  ...meta(name),
  spec: {
    tls: [{ hosts: ['shop.example.org'] }],
    rules: [
      {
        host: 'shop.example.org',
        http: { paths: [{ backend: { service: { name: to } } }] },
      },
    ],
  },
})
const CRON = {
  ...meta('nightly', { uid: 'c-1' }),
  spec: {
    schedule: '0 3 * * *',
    jobTemplate: { spec: { template: { spec: { containers: [{ name: 'a', image: 'shop:2' }] } } } },
  },
}
const job = (name: string, createdAt: string, failed: boolean) => ({
  ...meta(name, { creationTimestamp: createdAt, ...owned('CronJob', 'nightly', 'c-1') }),
  spec: { template: {} },
  status: failed
    ? { failed: 1, conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] }
    : { succeeded: 1, conditions: [condition('Complete', 'True', 'CompletionsReached')] },
})
const SET = {
  ...meta('db', { uid: 's-1' }),
  spec: { replicas: 1, selector: { matchLabels: { app: 'db' } }, template: {} },
  status: { updateRevision: 'db-2' },
}
const controllerRevision = (name: string, revision: number, uid: string) => ({
  ...meta(name, owned('StatefulSet', 'db', uid)),
  revision,
  data: { spec: { template: { spec: { containers: [{ name: 'a', image: `db:${revision}` }] } } } },
})

const LISTS: Readonly<Record<string, readonly object[]>> = {
  pods: [CRASHING, STRANGER],
  replicasets: [
    replicaSet('shop-old', '1', 'shop:1'),
    replicaSet('shop-new', '2', 'shop:2'),
    replicaSet('other', '9', 'other:9', 'd-2'),
  ],
  jobs: [
    job('nightly-1', '2026-01-01T03:00:00Z', true),
    job('nightly-2', '2026-01-02T03:00:00Z', false),
  ],
  services: [
    service('shop', { app: 'shop' }),
    service('narrow', { app: 'shop', tier: 'web' }),
    service('external'),
  ],
  ingresses: [ingress('shop', 'shop'), ingress('elsewhere', 'other')],
  httproutes: [
    {
      ...meta('shop'),
      spec: { hostnames: ['shop.internal'], rules: [{ backendRefs: [{ name: 'shop' }] }] },
    },
    {
      ...meta('far'),
      spec: {
        hostnames: ['far.internal'],
        rules: [{ backendRefs: [{ name: 'shop', namespace: 'x' }] }],
      },
    },
  ],
  horizontalpodautoscalers: [
    {
      ...meta('other'),
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'other' }, maxReplicas: 2 },
    },
    {
      ...meta('shop'),
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'shop' },
        minReplicas: 2,
        maxReplicas: 6,
      },
      status: {
        currentReplicas: 6,
        desiredReplicas: 6,
        conditions: [
          { type: 'AbleToScale', status: 'True' },
          {
            type: 'ScalingLimited',
            status: 'True',
            message: 'the desired count is more than the maximum',
          },
        ],
      },
    },
  ],
  poddisruptionbudgets: [
    {
      ...meta('shop'),
      spec: {
        minAvailable: '50%',
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['shop'] }] },
      },
      status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
    },
    { ...meta('db'), spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'db' } } } },
  ],
  persistentvolumeclaims: [
    {
      ...meta('shop-data'),
      spec: { storageClassName: 'fast' },
      status: { phase: 'Bound', capacity: { storage: '10Gi' } },
    },
    { ...meta('other'), spec: {}, status: {} },
  ],
  controllerrevisions: [
    controllerRevision('db-1', 1, 's-1'),
    controllerRevision('db-2', 2, 's-1'),
    controllerRevision('else', 7, 's-2'),
  ],
  events: [event('Pulled', 'p-1'), event('Scaled', 'd-1'), event('Stranger', 'p-2')],
}
const OBJECTS: Readonly<Record<string, object>> = {
  'deployments/shop': SHOP,
  'cronjobs/nightly': CRON,
  'statefulsets/db': SET,
  'pods/shop-new-1': CRASHING,
}

const METRICS = '/apis/metrics.k8s.io/v1beta1/namespaces/payments-dev/pods/shop-new-1'

const objects: Answer = (_, { path }) => {
  if (path === METRICS) return Response.json({ containers: [{ name: 'a', usage: { cpu: '12m' } }] })
  const [collection = '', last = ''] = path.split('/').slice(-2)
  const found = OBJECTS[`${collection}/${last}`]
  if (found !== undefined) return Response.json(found)
  const all = LISTS[last]
  return all === undefined
    ? status(404, 'the server could not find the requested resource')
    : list(all)
}

const without =
  (code: number, ...plurals: readonly string[]): Answer =>
  (request, sent) =>
    plurals.includes(sent.path.split('/').at(-1) ?? '')
      ? status(code, `${sent.path} is refused`)
      : objects(request, sent)

const read = async (answer: Answer, path: string) => {
  const at = await shared(answer)
  const response = await at.get(`${WORKLOADS}/${path}`)
  expect(response.status).toBe(200)
  return { at, detail: (await response.json()) as Record<string, unknown> }
}

test('a deployment, with all that belongs to it and stands around it', async () => {
  const { at, detail } = await read(objects, 'deployment/shop')
  expect(detail).toMatchObject({
    kind: 'Deployment',
    name: 'shop',
    health: 'Degraded',
    reason: 'OOMKilled',
    pods: [{ name: 'shop-new-1', status: 'CrashLoopBackOff' }],
    inGit: null,
    conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }],
    newestPod: {
      name: 'shop-new-1',
      qosClass: 'Burstable',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
    },
    containers: [
      {
        name: 'a',
        requests: { cpu: '50m' },
        limits: { memory: '128Mi' },
        usage: { cpu: '12m' },
        probes: [
          {
            kind: 'startup',
            action: 'HTTP GET :http/ready',
            initialDelaySeconds: 0,
            periodSeconds: 5,
            timeoutSeconds: 1,
            failureThreshold: 3,
          },
          { kind: 'liveness', action: 'command', periodSeconds: 10, failureThreshold: 6 },
          { kind: 'readiness', action: 'TCP :5432', initialDelaySeconds: 2, timeoutSeconds: 3 },
        ],
      },
    ],
    events: [{ reason: 'Pulled' }, { reason: 'Scaled' }],
    revisions: [
      { name: 'shop-new', number: 2, images: ['shop:2'], isCurrent: true },
      { name: 'shop-old', number: 1, images: ['shop:1'], isCurrent: false },
    ],
    runs: [],
    services: [
      {
        name: 'shop',
        type: 'ClusterIP',
        ports: [{ name: null, port: 80, protocol: 'TCP', targetPort: 'http' }],
      },
    ],
    routes: [
      {
        kind: 'Ingress',
        name: 'shop',
        hosts: ['shop.example.org'],
        tlsHosts: ['shop.example.org'],
      },
      { kind: 'HTTPRoute', name: 'shop', hosts: ['shop.internal'], tlsHosts: null },
    ],
    autoscaler: {
      name: 'shop',
      minReplicas: 2,
      maxReplicas: 6,
      currentReplicas: 6,
      desiredReplicas: 6,
      message: 'the desired count is more than the maximum',
    },
    disruptionBudgets: [
      { name: 'shop', minAvailable: '50%', maxUnavailable: null, disruptionsAllowed: 0 },
    ],
    volumeClaims: [{ name: 'shop-data', phase: 'Bound', capacity: '10Gi', storageClass: 'fast' }],
    refused: [],
  })
  const selected = at.sent.filter(({ path }) => /\/(?:pods|replicasets)$/.test(path))
  expect(selected.map(({ query }) => query['labelSelector'])).toStrictEqual([
    'app=shop',
    'app=shop',
  ])
})

test('a cron job, with its runs and what the last one came to', async () => {
  const { at, detail } = await read(objects, 'cronjob/nightly')
  expect(detail).toMatchObject({
    kind: 'CronJob',
    runs: [
      { name: 'nightly-2', health: 'Healthy' },
      { name: 'nightly-1', health: 'Degraded', reason: 'BackoffLimitExceeded' },
    ],
  })
  const pods = at.sent.find(({ path }) => path.endsWith('/pods'))
  expect(pods?.query['labelSelector']).toBe('job-name in (nightly-2,nightly-1)')
})

test('a pod is found by its name, among however many', async () => {
  const { at, detail } = await read(
    (request, sent) =>
      sent.path.endsWith('/pods/shop-new-1')
        ? Response.json({ ...CRASHING, metadata: { ...CRASHING.metadata, ownerReferences: [] } })
        : objects(request, sent),
    'pod/shop-new-1',
  )
  expect(detail).toMatchObject({ kind: 'Pod', pods: [{ name: 'shop-new-1' }] })
  const pods = at.sent.find(({ path }) => path.endsWith('/pods'))
  expect(pods?.query['fieldSelector']).toBe('metadata.name=shop-new-1')
})

test('a stateful set, with its former templates', async () => {
  const { detail } = await read(objects, 'statefulset/db')
  expect(detail['revisions']).toMatchObject([
    { name: 'db-2', number: 2, images: ['db:2'], isCurrent: true },
    { name: 'db-1', number: 1, images: ['db:1'], isCurrent: false },
  ])
})

test.each([
  ['the cluster has no such API', 404, []],
  ['the metrics server is down', 503, []],
  ['the person has no right to it', 403, ['containers']],
])('usage is null where %s', async (_, code, refused) => {
  const { detail } = await read(
    (request, sent) => (sent.path === METRICS ? status(code, '') : objects(request, sent)),
    'deployment/shop',
  )
  expect(detail).toMatchObject({
    containers: [{ limits: { memory: '128Mi' }, usage: null }],
    refused,
  })
})

test('a part that the cluster refuses is null, and named', async () => {
  const { detail } = await read(
    without(403, 'services', 'horizontalpodautoscalers', 'events', 'pods', 'replicasets'),
    'deployment/shop',
  )
  expect(detail).toMatchObject({
    kind: 'Deployment',
    pods: null,
    containers: null,
    events: null,
    revisions: null,
    services: null,
    routes: null,
    autoscaler: null,
    disruptionBudgets: [],
  })
  expect((detail['refused'] as string[]).toSorted()).toStrictEqual([
    'autoscaler',
    'events',
    'pods',
    'revisions',
    'routes',
    'services',
  ])
})

test.each<[string, readonly string[], string, Record<string, unknown>, readonly string[]]>([
  [
    'what stands between a deployment and its pods: whose they are is not known',
    ['replicasets'],
    'deployment/shop',
    { pods: null, containers: null, revisions: null },
    ['pods', 'revisions'],
  ],
  [
    'the jobs of a cron job',
    ['jobs'],
    'cronjob/nightly',
    { pods: null, runs: null, revisions: [] },
    ['pods', 'runs'],
  ],
  [
    'one of two kinds of routes',
    ['ingresses'],
    'deployment/shop',
    { routes: [{ kind: 'HTTPRoute' }] },
    ['routes'],
  ],
])('a cluster refuses %s', async (_, plurals, path, expected, refused) => {
  const { detail } = await read(without(403, ...plurals), path)
  expect(detail).toMatchObject(expected)
  expect((detail['refused'] as string[]).toSorted()).toStrictEqual([...refused])
})

test('of a workload without pods its template tells which services select them', async () => {
  const { spec } = SHOP
  const template = { ...spec.template, metadata: { labels: { app: 'shop' } } }
  const stopped = { ...SHOP, spec: { ...spec, replicas: 0, template } }
  const { detail } = await read(
    (request, sent) =>
      sent.path.endsWith('/deployments/shop')
        ? Response.json(stopped)
        : listing({ pods: [] })(request, sent),
    'deployment/shop',
  )
  expect(detail).toMatchObject({ pods: [], services: [{ name: 'shop' }] })
})

const listing =
  (lists: Readonly<Record<string, readonly object[]>>): Answer =>
  (request, sent) => {
    const own = lists[sent.path.split('/').at(-1) ?? '']
    return own === undefined ? objects(request, sent) : list(own)
  }

test('a workload with more of everything than a person reads', async () => {
  const day = (index: number) => new Date(Date.UTC(2026, 0, index + 1)).toISOString()
  const jobs = Array.from({ length: 30 }, (_, index) => job(`nightly-${index}`, day(index), false))
  const cron = await read(listing({ jobs }), 'cronjob/nightly')
  const asked = cron.at.sent.find(({ path }) => path.endsWith('/pods'))?.query['labelSelector']
  expect(asked?.split(',')).toHaveLength(20)
  expect(asked).toContain('nightly-29')

  const crowd = (after: string | undefined) =>
    list(
      Array<object>(500).fill(CRASHING),
      Number(after ?? 0) < 2 ? { continue: `${Number(after ?? 0) + 1}` } : {},
    )
  const { detail } = await read(
    (request, sent) =>
      sent.path.endsWith('/pods') ? crowd(sent.query['continue']) : objects(request, sent),
    'deployment/shop',
  )
  expect(detail['pods']).toHaveLength(1_000)
})

test('numbers and templates that others write', async () => {
  const replicasets = ['x', '-1', '1e400'].map((revision) =>
    replicaSet(`shop-${revision}`, revision, 'shop:1'),
  )
  const { detail } = await read(listing({ replicasets }), 'deployment/shop')
  expect(detail['revisions']).toMatchObject([{ number: 0 }, { number: 0 }, { number: 0 }])

  // A virtual machine of KubeVirt has a template without containers.
  const machine = {
    ...meta('vm', owned('VirtualMachine', 'vm', 'vm-1')),
    revision: 1,
    data: { spec: { template: { spec: { domain: {} } } } },
  }
  const odd = { ...controllerRevision('db-3', 3, 's-1'), data: 'x' }
  const set = await read(listing({ controllerrevisions: [machine, odd] }), 'statefulset/db')
  expect(set.detail['revisions']).toMatchObject([{ name: 'db-3', images: [] }])
})

test('a cluster without the Gateway API has no such routes', async () => {
  const { detail } = await read(without(404, 'httproutes'), 'deployment/shop')
  expect(detail).toMatchObject({ routes: [{ kind: 'Ingress' }], refused: [] })
})

test.each([
  ['a workload that is not there', 'deployment/none', 404, 'workload_not_found'],
  ['a pod that a workload controls', 'pod/shop-new-1', 404, 'workload_not_found'],
  ['a kind that there is not', 'secret/shop', 422, 'validation_failed'],
])('%s is refused', async (_, path, expected, code) => {
  const at = await shared(objects)
  expect(await problemOf(await at.get(`${WORKLOADS}/${path}`))).toMatchObject({
    status: expected,
    code,
  })
})

test('a cluster that fails is a failure, not a part that is missing', async () => {
  const at = await shared(without(500, 'services'))
  expect(await problemOf(await at.get(`${WORKLOADS}/deployment/shop`))).toMatchObject({
    status: 502,
  })
})

test.each([
  ['In', ['a', 'b'], 'a', true],
  ['In', ['a'], undefined, false],
  ['NotIn', ['a'], 'a', false],
  ['NotIn', ['a'], undefined, true],
  ['Exists', [], 'a', true],
  ['Exists', [], undefined, false],
  ['DoesNotExist', [], undefined, true],
  ['DoesNotExist', [], 'a', false],
] as const)('a selector with %s %p, of the value %p: %p', (operator, values, value, expected) => {
  const labels: Record<string, string> = value === undefined ? {} : { tier: value }
  const expression = { key: 'tier', operator, values: [...values] }
  expect(selects({ matchExpressions: [expression] }, labels)).toBe(expected)
})

test('five thousand former templates, and objects as large as etcd has them, make a small answer', async () => {
  const annotations = { ...SHOP.metadata.annotations, huge: 'a'.repeat(1_500_000) }
  const former = Array.from({ length: 5_000 }, (_, index) =>
    replicaSet(`shop-${index}`, String(index + 1), `shop:${index + 1}`),
  )
  const { at, detail } = await read((request, sent) => {
    const { path, query } = sent
    if (path.endsWith('/deployments/shop')) {
      return Response.json({ ...SHOP, metadata: { ...SHOP.metadata, annotations } })
    }
    if (!path.endsWith('/replicasets')) return objects(request, sent)
    const from = Number(query['continue'] ?? 0)
    const next = from + Number(query['limit'])
    const isLast = next >= former.length
    return list(former.slice(from, next), isLast ? {} : { continue: String(next) })
  }, 'deployment/shop')
  const revisions = detail['revisions'] as { readonly number: number }[]
  expect(revisions.map(({ number }) => number)).toStrictEqual(
    Array.from({ length: 100 }, (_, index) => 5_000 - index),
  )
  expect(at.sent.filter(({ path }) => path.endsWith('/replicasets'))).toHaveLength(10)
  expect(JSON.stringify(detail).length).toBeLessThan(100_000)
})
