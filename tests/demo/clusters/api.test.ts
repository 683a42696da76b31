import { describe, expect, test } from 'bun:test'
import { allows } from '#src/lib/demo/clusters/access.ts'
import { clusters } from '#src/lib/demo/clusters/workloads/clusters.ts'
import { openSimulation, STEP_MS } from './open-simulation.ts'

interface List {
  kind: string
  apiVersion: string
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  items: { metadata: { name: string; namespace: string } }[]
}

const PODS = '/api/v1/namespaces/payments-dev/pods'
const open = () => openSimulation(clusters['dev-east'])
const keys = ({ items }: List) =>
  items.map(({ metadata: { name, namespace } }) => `${namespace}/${name}`)

describe('who asks', () => {
  test.each(['/readyz', '/livez', '/healthz'])('%s is for everybody', async (path) => {
    const { ask } = open()
    const answer = await ask(null, path)
    expect([answer.status, await answer.text()]).toStrictEqual([200, 'ok'])
    expect(await (await ask('dev', `${path}?verbose`)).text()).toEndWith(
      `${path.slice(1)} check passed\n`,
    )
  })

  test('so is the version', async () => {
    expect(await (await open().ask(null, '/version')).json()).toMatchObject({
      major: '1',
      minor: '32',
    })
  })

  test.each([
    [null, '/api'],
    [null, PODS],
    [null, '/'],
    ['stranger', PODS],
    ['stranger', '/readyz'],
    ['', PODS],
    ['dev x', PODS],
  ])('%p at %s is nobody', async (token, path) => {
    const { ask } = open()
    const answer = await ask(
      null,
      path,
      token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
    )
    expect(answer.status).toBe(401)
    expect(await answer.json()).toStrictEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    })
  })

  test('is not told by a password', async () => {
    const headers = { authorization: `Basic ${btoa('dev:demo')}` }
    expect((await open().ask(null, PODS, { headers })).status).toBe(401)
  })
})

describe('who may', () => {
  const DEPLOYMENT = '/apis/apps/v1/namespaces/payments-dev/deployments/ledger'
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
    ['dev', 'PATCH', `${PODS}/x`, 403], ['platform', 'PATCH', `${PODS}/x`, 415],
    ['dev', 'DELETE', `${PODS}/x`, 403], ['platform', 'DELETE', `${PODS}/x`, 405], ['platform', 'DELETE', PODS, 405],
    ['dev', 'POST', PODS, 403], ['platform', 'POST', PODS, 405], ['platform', 'PUT', DEPLOYMENT, 405],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev/secrets', 403], ['platform', 'GET', '/api/v1/namespaces/payments-dev/secrets', 404],
    ['dev', 'GET', `${PODS}/x/log`, 404], ['outsider', 'GET', `${PODS}/x/log`, 403], ['platform', 'GET', `${PODS}/x/exec`, 404], ['platform', 'PATCH', `${PODS}/x/log`, 405], ['platform', 'GET', `${DEPLOYMENT}/scale`, 404],
    ['dev', 'GET', '/apis/apps/v1/namespaces/payments-dev/pods', 403], ['platform', 'GET', '/apis/apps/v1/namespaces/payments-dev/pods', 404],
    ['dev', 'GET', '/api/v1/namespaces/nowhere/pods', 403], ['platform', 'GET', '/api/v1/namespaces/nowhere/pods', 200],
  ])('%s %s %s: %d', async (person, method, path, status) => {
    expect((await open().ask(person, path, { method })).status).toBe(status)
  })

  // prettier-ignore
  test.each([
    ['GET', PODS, 'pods is forbidden: User "outsider" cannot list resource "pods" in API group "" in the namespace "payments-dev"', { kind: 'pods' }],
    ['GET', '/api/v1/pods?watch=1', 'pods is forbidden: User "outsider" cannot watch resource "pods" in API group "" at the cluster scope', { kind: 'pods' }],
    ['GET', `${PODS}/no-such-pod`, 'pods "no-such-pod" is forbidden: User "outsider" cannot get resource "pods" in API group "" in the namespace "payments-dev"', { name: 'no-such-pod', kind: 'pods' }],
    ['GET', `${PODS}/p/log`, 'pods "p" is forbidden: User "outsider" cannot get resource "pods/log" in API group "" in the namespace "payments-dev"', { name: 'p', kind: 'pods' }],
    ['PATCH', DEPLOYMENT, 'deployments.apps "ledger" is forbidden: User "outsider" cannot patch resource "deployments" in API group "apps" in the namespace "payments-dev"', { name: 'ledger', group: 'apps', kind: 'deployments' }],
    ['GET', '/apis/apps/v1/namespaces/payments-dev/deployments?fieldSelector=metadata.name%3Dledger', 'deployments.apps "ledger" is forbidden: User "outsider" cannot list resource "deployments" in API group "apps" in the namespace "payments-dev"', { name: 'ledger', group: 'apps', kind: 'deployments' }],
    ['GET', '/api/v1/namespaces/payments-dev', 'namespaces "payments-dev" is forbidden: User "outsider" cannot get resource "namespaces" in API group "" in the namespace "payments-dev"', { name: 'payments-dev', kind: 'namespaces' }],
    ['POST', PODS, 'pods is forbidden: User "outsider" cannot create resource "pods" in API group "" in the namespace "payments-dev"', { kind: 'pods' }],
    ['DELETE', PODS, 'pods is forbidden: User "outsider" cannot deletecollection resource "pods" in API group "" in the namespace "payments-dev"', { kind: 'pods' }],
  ])('the refusal of %s %s says what is missing', async (method, path, message, details) => {
    const answer = await open().ask('outsider', path, { method })
    expect(await answer.json()).toStrictEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Forbidden',
      details,
      code: 403,
    })
  })

  test('managers may no more than their team', async () => {
    const { ask } = openSimulation(clusters['prod-west'])
    const statuses = ['dev', 'manager', 'outsider'].map(
      async (person) => (await ask(person, '/api/v1/namespaces/payments/pods')).status,
    )
    expect(await Promise.all(statuses)).toStrictEqual([200, 200, 403])
  })
})

describe('what there is', () => {
  test('is told to whoever has an account', async () => {
    const { ask } = open()
    const read = async (path: string) =>
      (await (await ask('outsider', path)).json()) as {
        [member: string]: unknown
        resources: { [member: string]: unknown; name: string }[]
      }
    expect(await read('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    const group = { name: 'apps', preferredVersion: { groupVersion: 'apps/v1', version: 'v1' } }
    expect(await read('/apis')).toMatchObject({ kind: 'APIGroupList', groups: [group] })
    expect(await read('/apis/apps')).toMatchObject({ kind: 'APIGroup', ...group })
    const names = async (path: string) =>
      (await read(path)).resources.map(({ name }) => name).toSorted()
    expect(await names('/api/v1')).toStrictEqual(['events', 'namespaces', 'pods', 'pods/log'])
    const verbs = ['get', 'list', 'patch', 'watch']
    const described = { namespaced: true, verbs, categories: ['all'] }
    expect(await read('/apis/apps/v1')).toStrictEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'apps/v1',
      resources: [
        {
          ...described,
          name: 'deployments',
          singularName: 'deployment',
          kind: 'Deployment',
          shortNames: ['deploy'],
        },
        {
          ...described,
          name: 'replicasets',
          singularName: 'replicaset',
          kind: 'ReplicaSet',
          shortNames: ['rs'],
        },
      ],
    })
    const core = await read('/api/v1')
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
    expect(core.resources).toContainEqual({
      name: 'pods/log',
      singularName: '',
      namespaced: true,
      kind: 'Pod',
      verbs: ['get'],
    })
    expect(core.resources).toContainEqual({
      name: 'namespaces',
      singularName: 'namespace',
      namespaced: false,
      kind: 'Namespace',
      verbs,
      shortNames: ['ns'],
    })
  })

  test.each([
    '/',
    '/apis/batch/v1',
    '/apis/batch/v1/jobs',
    '/api/v2/pods',
    '/openapi/v3',
    '/metrics',
    '/api/v1/nodes',
    '/api/v1/%zz',
    '/api/v1//pods',
  ])('%s is not among it', async (path) => {
    const answer = await open().ask('platform', path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    })
  })

  test.each([
    [`${PODS}/nope`, 'pods "nope" not found', { name: 'nope', kind: 'pods' }],
    [
      '/apis/apps/v1/namespaces/payments-dev/deployments/nope',
      'deployments.apps "nope" not found',
      { name: 'nope', group: 'apps', kind: 'deployments' },
    ],
    [
      '/api/v1/namespaces/nope',
      'namespaces "nope" not found',
      { name: 'nope', kind: 'namespaces' },
    ],
    ['/api/v1/pods/nope', 'pods "nope" not found', { name: 'nope', kind: 'pods' }],
  ])('%s is not found', async (path, message, details) => {
    expect(await open().get(path)).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message,
      details,
    })
  })

  test('is JSON', async () => {
    const { ask } = open()
    const status = async (accept: string) =>
      (await ask('dev', PODS, { headers: { accept } })).status
    expect(await status('application/vnd.kubernetes.protobuf')).toBe(406)
    expect(await status('application/vnd.kubernetes.protobuf, application/json')).toBe(200)
    expect(await status('*/*')).toBe(200)
  })
})

describe('a list', () => {
  test('is of one namespace, or of all of them', async () => {
    const { get, store } = open()
    const all = (await get('/api/v1/pods')) as List
    const some = (await get(PODS)) as List
    expect(all).toMatchObject({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(store.version) },
    })
    expect(keys(all)).toStrictEqual(keys(all).toSorted())
    expect(keys(some)).toStrictEqual(keys(all).filter((key) => key.startsWith('payments-dev/')))
    expect(all.items[0]).not.toHaveProperty('kind')
    expect(await get(`${PODS}/${some.items[0]?.metadata.name}`)).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
    })
  })

  test('selects by labels and fields', async () => {
    const { get } = open()
    const names = async (query: string) =>
      keys((await get(`/api/v1/pods?${query}`)) as List).map((key) =>
        key.split('-').slice(0, 3).join('-'),
      )
    expect(await names('labelSelector=app.kubernetes.io%2Fname%3Dlabel-printer')).toStrictEqual([
      'shipping-dev/label-printer',
    ])
    expect(await names('fieldSelector=status.phase%3DSucceeded')).toStrictEqual([
      'payments-dev/ledger-nightly',
    ])
  })

  test('comes in pages of one moment', async () => {
    const { get, pass, store } = open()
    const whole = (await get('/api/v1/pods')) as List
    const first = (await get('/api/v1/pods?limit=8')) as List
    expect(first.metadata).toMatchObject({
      resourceVersion: whole.metadata.resourceVersion,
      remainingItemCount: whole.items.length - 8,
    })
    for (const { metadata } of whole.items.slice(3, 12)) store.remove('pods', metadata)
    pass(STEP_MS * 20)
    const second = (await get(`/api/v1/pods?limit=8&continue=${first.metadata.continue}`)) as List
    const rest = (await get(`/api/v1/pods?continue=${second.metadata.continue}`)) as List
    expect([first, second, rest].map(({ metadata }) => metadata.resourceVersion)).toStrictEqual(
      Array(3).fill(first.metadata.resourceVersion),
    )
    expect([...keys(first), ...keys(second), ...keys(rest)]).toStrictEqual(keys(whole))
    expect(rest.metadata).toStrictEqual({ resourceVersion: whole.metadata.resourceVersion })
  })

  test('is the newest for any older version, and that one when it has to be', async () => {
    const { get, store } = open()
    const { version } = store
    const [pod] = store.list('pods')
    if (pod) store.remove('pods', pod.metadata)
    const list = async (query: string) => (await get(`/api/v1/pods?${query}`)) as List
    const newest = await list(`resourceVersion=${version}`)
    expect(newest.metadata.resourceVersion).toBe(String(store.version))
    const exact = await list(`resourceVersion=${version}&resourceVersionMatch=Exact`)
    expect(exact.metadata.resourceVersion).toBe(String(version))
    expect(exact.items).toHaveLength(newest.items.length + 1)
    expect((await list(`resourceVersion=${store.version}`)).items).toHaveLength(newest.items.length)
  })

  test('does not count what is left of a selection', async () => {
    const page = (await open().get('/api/v1/pods?limit=1&labelSelector=portico%2Fteam')) as List
    expect(page.metadata.continue).toBeString()
    expect(page.metadata).not.toHaveProperty('remainingItemCount')
  })

  test('is whole when any version will do, whatever the limit', async () => {
    const { get } = open()
    expect(
      ((await get('/api/v1/pods?limit=2&resourceVersion=0')) as List).items.length,
    ).toBeGreaterThan(2)
  })

  test('that has waited for too long goes on only as what is now', async () => {
    const { get, ask, pass, store } = open()
    const first = (await get('/api/v1/pods?limit=8')) as List
    const [gone] = store.list('pods').slice(-1)
    for (let change = 0; change < 1_100; change++) {
      const [pod] = store.list('pods')
      if (pod)
        store.put('pods', {
          ...pod,
          metadata: { ...pod.metadata, labels: { change: String(change) } },
        })
    }
    if (gone) store.remove('pods', gone.metadata)
    pass(1)
    const refused = await ask(
      'platform',
      `/api/v1/pods?limit=8&continue=${first.metadata.continue}`,
    )
    expect(refused.status).toBe(410)
    const { metadata, reason, message } = (await refused.json()) as {
      metadata: { continue: string }
      reason: string
      message: string
    }
    expect(reason).toBe('Expired')
    expect(message).toStartWith('The provided continue parameter is too old')
    const rest = (await get(`/api/v1/pods?continue=${metadata.continue}`)) as List
    expect(keys(rest)).toStrictEqual(
      store
        .list('pods')
        .slice(8)
        .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
    )
    expect(
      (
        await ask(
          'platform',
          `/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=${first.metadata.resourceVersion}`,
        )
      ).status,
    ).toBe(410)
  })

  // prettier-ignore
  test.each([
    ['continue=x', 400], ['continue=e30', 400], [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":"7","start":"a/b"}')}`, 400],
    [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":7,"start":"a/b"}')}&resourceVersion=7`, 400],
    ['limit=x', 400], ['limit=-1', 400], ['resourceVersion=x', 400], ['resourceVersion=-1', 400], ['labelSelector=a+b', 400], ['fieldSelector=a', 400],
    ['timeoutSeconds=x', 400], ['sendInitialEvents=true&watch=true', 422], ['resourceVersion=999999999999999', 504],
  ])('refuses %s with %d', async (query, status) => {
    const answer = await open().ask('platform', `/api/v1/pods?${query}`)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ kind: 'Status', code: status, status: 'Failure' })
  })
})

test('a group that is not bound to anything takes nothing away', () => {
  const attributes = {
    verb: 'list',
    group: '',
    resource: 'pods',
    subresource: undefined,
    name: undefined,
  }
  const may = (groups: string[], namespace: string) =>
    allows({ username: 'x', groups }, { ...attributes, namespace })
  expect(may(['everybody', 'shipping'], 'shipping')).toBe(true)
  expect(may(['everybody', 'toString'], 'shipping')).toBe(false)
  expect(may(['payments:Managers'], 'payments-dev')).toBe(true)
  expect(may([], 'payments-dev')).toBe(false)
})

test('a mistake of the simulation is a 500 that tells nothing', async () => {
  const { createHandler } = await import('#src/lib/demo/clusters/api/handle.ts')
  const { store, timeline, streams } = open()
  const bugs: unknown[] = []
  const handle = createHandler({
    store,
    timeline,
    streams,
    allows: () => true,
    authenticate: () => Promise.reject(new Error('s3cret')),
    onBug: (error) => bugs.push(error),
  })
  const answer = await handle(
    new Request(`https://127.0.0.1${PODS}`, { headers: { authorization: 'Bearer x' } }),
  )
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('s3cret')
  expect(bugs).toHaveLength(1)
})
