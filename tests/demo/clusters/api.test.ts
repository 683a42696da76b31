import { describe, expect, test } from 'bun:test'
import { createHandler } from '#src/demo/clusters/api-server.ts'
import { clusters } from '#src/demo/clusters/workloads.ts'
import { only, openSimulation, restart, WEB } from './open-simulation.ts'

const PODS = '/api/v1/namespaces/payments-dev/pods'
const DEPLOYMENT = '/apis/apps/v1/namespaces/payments-dev/deployments/ledger'
const FIXED = [
  ['StatefulSet', '/apis/apps/v1/namespaces/payments-dev/statefulsets/ledger-queue'],
  ['DaemonSet', '/apis/apps/v1/namespaces/payments-dev/daemonsets/receipt-cache'],
] as const
const simulation = openSimulation()
const { ask, get, store } = simulation

interface List {
  kind: string
  metadata: { resourceVersion: string; continue?: string }
  items: {
    kind: string
    metadata: { name: string; namespace: string }
    status?: { phase?: string }
  }[]
}
const keys = ({ items }: List) =>
  items.map(({ metadata: { name, namespace } }) => `${namespace}/${name}`)

describe('who asks', () => {
  test.each(['/readyz', '/livez', '/healthz', '/version'])('%s is for everybody', async (path) => {
    expect((await ask(null, path)).status).toBe(200)
  })

  // prettier-ignore
  test.each([
    [null, '/api'], [null, PODS], [null, '/'], ['stranger', PODS], ['stranger', '/readyz'], ['', PODS], ['dev x', PODS],
  ])('%p at %s is nobody', async (token, path) => {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
    const answer = await ask(null, path, { headers })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 })
  })
})

describe('who may', () => {
  // prettier-ignore
  test.each([
    ['dev', 'GET', PODS, 200], ['manager', 'GET', PODS, 200], ['platform', 'GET', PODS, 200], ['outsider', 'GET', PODS, 403],
    ['outsider', 'GET', '/api/v1/namespaces/shipping-dev/pods', 200], ['dev', 'GET', '/api/v1/namespaces/shipping-dev/pods', 403],
    ['dev', 'GET', `${PODS}?watch=true&resourceVersion=99999999999999`, 200], ['outsider', 'GET', `${PODS}?watch=true`, 403],
    ['dev', 'GET', '/api/v1/pods', 403], ['platform', 'GET', '/api/v1/pods', 200],
    ['dev', 'GET', '/api/v1/namespaces', 403], ['platform', 'GET', '/api/v1/namespaces', 200],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev', 403], ['platform', 'GET', '/api/v1/namespaces/payments-dev', 200],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev/events', 200], ['dev', 'GET', '/apis/apps/v1/namespaces/payments-dev/replicasets', 200],
    ['dev', 'GET', DEPLOYMENT, 200], ['outsider', 'GET', DEPLOYMENT, 403],
    ['dev', 'PATCH', DEPLOYMENT, 415], ['outsider', 'PATCH', DEPLOYMENT, 403],
    ...FIXED.flatMap(([, path]) => [['dev', 'PATCH', path, 415], ['outsider', 'PATCH', path, 403]] as [string, string, string, number][]),
    ['dev', 'PATCH', `${PODS}/x`, 403], ['platform', 'DELETE', `${PODS}/x`, 405], ['dev', 'POST', PODS, 403], ['platform', 'POST', PODS, 405],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev/secrets', 403], ['platform', 'GET', '/api/v1/namespaces/payments-dev/secrets', 404],
    ['dev', 'GET', `${PODS}/x/log`, 404], ['outsider', 'GET', `${PODS}/x/log`, 403], ['platform', 'GET', `${PODS}/x/exec`, 404], ['platform', 'GET', `${DEPLOYMENT}/scale`, 404],
    ['dev', 'GET', '/apis/apps/v1/namespaces/payments-dev/pods', 403], ['platform', 'GET', '/apis/apps/v1/namespaces/payments-dev/pods', 404],
    ['dev', 'GET', '/api/v1/namespaces/nowhere/pods', 403], ['platform', 'GET', '/api/v1/namespaces/nowhere/pods', 200],
    ['platform', 'GET', '/', 404], ['platform', 'GET', '/api/v2/pods', 404], ['platform', 'GET', '/api/v1//pods', 404], ['platform', 'GET', '/apis/batch/v1/jobs', 200], ['outsider', 'GET', '/apis/batch/v1/namespaces/payments-dev/jobs', 403], ['dev', 'GET', '/apis/batch/v1/namespaces/payments-dev/cronjobs', 200], ['platform', 'GET', '/apis/policy/v1/poddisruptionbudgets', 404],
  ])('%s %s %s: %d', async (person, method, path, status) => {
    expect((await ask(person, path, { method })).status).toBe(status)
  })

  test('managers may no more than their team', async () => {
    const production = openSimulation(clusters['prod-west'])
    const statuses = ['dev', 'manager', 'outsider'].map(
      async (person) => (await production.ask(person, '/api/v1/namespaces/payments/pods')).status,
    )
    expect(await Promise.all(statuses)).toStrictEqual([200, 200, 403])
  })
})

test('what a pod that runs uses, to those who may see it', async () => {
  const { ask, get } = openSimulation()
  const pods = ((await get(PODS)) as List).items
  const named = (phase: string) => pods.find(({ status }) => status?.phase === phase)?.metadata.name
  const metrics = '/apis/metrics.k8s.io/v1beta1/namespaces/payments-dev/pods'
  expect(await get(`${metrics}/${named('Running')}`)).toMatchObject({
    kind: 'PodMetrics',
    containers: [
      { usage: { cpu: expect.stringMatching(/^\d+n$/), memory: expect.stringMatching(/^\d+Ki$/) } },
    ],
  })
  expect((await ask('dev', `${metrics}/${named('Pending')}`)).status).toBe(404)
  expect((await ask('outsider', `${metrics}/${named('Running')}`)).status).toBe(403)
})

describe('a list', () => {
  test('is of one namespace, or of all of them, in order', async () => {
    const all = (await get('/api/v1/pods')) as List
    expect(all).toMatchObject({
      kind: 'PodList',
      metadata: { resourceVersion: String(store.version) },
    })
    expect(keys(all)).toStrictEqual(keys(all).toSorted())
    const own = keys(all).filter((key) => key.startsWith('payments-dev/'))
    expect(keys((await get(PODS)) as List)).toStrictEqual(own)
  })

  test('comes in pages, which state the version of the first', async () => {
    const { get, patchBy, store } = openSimulation()
    const whole = (await get('/api/v1/pods')) as List
    const first = (await get('/api/v1/pods?limit=8')) as List
    await patchBy(DEPLOYMENT, { metadata: { labels: { seen: 'yes' } } })
    const rest = (await get(`/api/v1/pods?continue=${first.metadata.continue}`)) as List
    expect([...keys(first), ...keys(rest)]).toStrictEqual(keys(whole))
    expect(rest.metadata).toStrictEqual(whole.metadata)
    expect(store.version).toBeGreaterThan(Number(rest.metadata.resourceVersion))
  })

  // prettier-ignore
  test.each([
    ['labelSelector=app.kubernetes.io/name=label-printer', 2],
    ['labelSelector=app.kubernetes.io/name in (ledger,label-printer),portico/team!=payments', 2],
    ['labelSelector=app.kubernetes.io/name notin (checkout-web, ledger),!job-name', 22],
    ['labelSelector=job-name', 1], ['labelSelector=toString', 0],
    ['fieldSelector=status.phase=Succeeded', 1], ['fieldSelector=status.phase!=Running,status.phase!=Pending', 1],
    ['fieldSelector=metadata.namespace==shipping-dev', 7],
  ])('with %s has %d', async (query, count) => {
    expect(((await get(`/api/v1/pods?${encodeURI(query)}`)) as List).items).toHaveLength(count)
  })

  test.each(['continue=x', 'labelSelector=a+b', 'labelSelector=a+in+(b', 'fieldSelector=a'])(
    'with %s is refused',
    async (query) => {
      const answer = await ask('platform', `/api/v1/pods?${query}`)
      expect(await answer.json()).toMatchObject({ kind: 'Status', code: 400 })
    },
  )
})

describe('a patch', () => {
  test('restarts once for the same time', async () => {
    const { patchBy, deployment, store } = openSimulation(only())
    const before = deployment()
    expect((await patchBy(WEB, restart('a'), 'dev')).status).toBe(200)
    expect(deployment().metadata.generation).toBe(before.metadata.generation + 1)
    expect(store.list('ReplicaSet')).toHaveLength(2)
    await patchBy(WEB, restart('a'), 'dev')
    expect(deployment().metadata.generation).toBe(before.metadata.generation + 1)
  })

  test.each(FIXED)('restarts a %s once for the same time', async (_, path) => {
    const { patchBy, store, get } = openSimulation()
    for (const at of ['a', 'a', 'b'])
      expect((await patchBy(path, restart(at), 'dev')).status).toBe(200)
    expect(await get(path)).toMatchObject({
      metadata: { generation: 3 },
      spec: {
        template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'b' } } },
      },
      status: { observedGeneration: 3 },
    })
    const { version } = store
    for (const spec of [{ replicas: 3 }, { paused: true }])
      expect((await patchBy(path, { spec })).status).toBe(422)
    expect(store.version).toBe(version)
  })

  test('changes labels without a rollout, and `null` removes one', async () => {
    const { patchBy, deployment } = openSimulation(only())
    const { generation, labels } = deployment().metadata
    await patchBy(WEB, { metadata: { labels: { tier: 'core' } } }, 'dev', 'merge-patch')
    expect(deployment().metadata).toMatchObject({ generation, labels: { ...labels, tier: 'core' } })
    await patchBy(WEB, { metadata: { labels: { tier: null } } })
    expect(deployment().metadata.labels).toStrictEqual(labels)
  })

  // prettier-ignore
  test.each([
    { spec: { replicas: -1 } }, { spec: { replicas: 51 } }, { spec: { selector: {} } }, { metadata: { name: 'other' } },
    { spec: { template: { spec: { containers: [] } } } }, { spec: { template: { metadata: { labels: { a: 'b' } } } } },
  ])('%j is refused', async (body) => {
    const { patchBy, deployment } = openSimulation(only())
    const before = deployment()
    const answer = await patchBy(WEB, body)
    expect(await answer.json()).toMatchObject({ code: 422, reason: 'Invalid' })
    expect(deployment()).toStrictEqual(before)
  })
})

test('a mistake of the simulation is a 500 that tells nothing', async () => {
  const bugs: unknown[] = []
  const handle = createHandler({
    cluster: simulation,
    streams: simulation.streams,
    clock: { now: () => 0 },
    authenticate: () => Promise.reject(new Error('s3cret')),
    onBug: (error) => bugs.push(error),
  })
  const headers = { authorization: 'Bearer x' }
  const answer = await handle(new Request(`https://127.0.0.1${PODS}`, { headers }))
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('s3cret')
  expect(bugs).toHaveLength(1)
})
