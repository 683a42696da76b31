import { describe, expect, test } from 'bun:test'
import { createHandler } from '#src/demo/clusters/api/handle.ts'
import { openSimulation } from './open-simulation.ts'

const PODS = '/api/v1/namespaces/payments-dev/pods'

describe('discovery', () => {
  test('is open to every user', async () => {
    const { ask } = openSimulation()
    const read = async (path: string) =>
      (await (await ask('outsider', path)).json()) as {
        [member: string]: unknown
        resources: { [member: string]: unknown; name: string }[]
      }
    expect(await read('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    const group = { name: 'apps', preferredVersion: { groupVersion: 'apps/v1', version: 'v1' } }
    expect(await read('/apis')).toMatchObject({
      kind: 'APIGroupList',
      groups: [group, { name: 'authorization.k8s.io' }],
    })
    expect(await read('/apis/authorization.k8s.io/v1')).toMatchObject({
      resources: [{ name: 'selfsubjectaccessreviews', verbs: ['create'] }],
    })
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
    const answer = await openSimulation().ask('platform', path)
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
    expect(await openSimulation().get(path)).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message,
      details,
    })
  })

  test('is JSON', async () => {
    const { ask } = openSimulation()
    const status = async (accept: string) =>
      (await ask('dev', PODS, { headers: { accept } })).status
    expect(await status('application/vnd.kubernetes.protobuf')).toBe(406)
    expect(await status('application/vnd.kubernetes.protobuf, application/json')).toBe(200)
    expect(await status('*/*')).toBe(200)
  })
})

test('a mistake of the simulation is a 500 that tells nothing', async () => {
  const { store, timeline, streams } = openSimulation()
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
