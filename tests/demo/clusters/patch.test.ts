import { describe, expect, test } from 'bun:test'
import { only, openSimulation, restart, WEB } from './open-simulation.ts'

describe('PATCH of a deployment', () => {
  const image = { spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } } }
  const open = () =>
    openSimulation(only({ replicas: 1, sidecarImage: 'ghcr.io/acme/postgres-proxy:2.15.1' }))

  test('counts generations of the specification only, and nothing that changes nothing', async () => {
    const { patch, deployment } = open()
    const { generation, resourceVersion } = deployment().metadata
    const labelled = await patch(WEB, { metadata: { labels: { a: 'b' } } }, 'merge-patch')
    expect(await labelled.json()).toMatchObject({
      metadata: { generation, labels: { a: 'b', 'portico/team': 'payments' } },
    })
    const changed = deployment().metadata.resourceVersion
    expect(changed).not.toBe(resourceVersion)

    await patch(WEB, image)
    expect(deployment().metadata.generation).toBe(generation + 1)
    expect(deployment().spec.template.spec?.containers).toMatchObject([
      { name: 'web', image: 'web:2', resources: {} },
    ])
    const { resourceVersion: last } = deployment().metadata
    const again = await patch(WEB, image)
    expect(again.status).toBe(200)
    expect(deployment().metadata).toMatchObject({
      resourceVersion: last,
      generation: generation + 1,
    })
  })

  test('tries and does not change with dryRun', async () => {
    const { patch, deployment } = open()
    const before = deployment()
    const answer = await patch(`${WEB}?dryRun=All`, image)
    expect(await answer.json()).toMatchObject({ metadata: { generation: 2 } })
    expect(deployment()).toBe(before)
  })

  test('does not change its status', async () => {
    const { patch, deployment } = open()
    const before = deployment()
    await patch(WEB, { status: { replicas: 7 } })
    expect(deployment()).toBe(before)
  })

  test('refuses a version that is not the newest', async () => {
    const { patch, deployment } = open()
    const { resourceVersion } = deployment().metadata
    const stale = await patch(WEB, { metadata: { resourceVersion: '1' }, ...restart('x') })
    expect(stale.status).toBe(409)
    expect(await stale.json()).toStrictEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
      reason: 'Conflict',
      details: { name: 'web', group: 'apps', kind: 'deployments' },
      code: 409,
    })
    expect((await patch(WEB, { metadata: { resourceVersion }, ...restart('x') })).status).toBe(200)
  })

  // prettier-ignore
  test.each<[string, object, number, string]>([
    ['too many replicas', { spec: { replicas: 1_000 } }, 422, 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: 1000: must be less than or equal to 50'],
    ['replicas below zero', { spec: { replicas: -1 } }, 422, 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['replicas as a word', { spec: { replicas: 'two' } }, 422, 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: "two": must be integer'],
    ['no specification', { spec: null }, 422, 'Deployment.apps "web" is invalid: spec: Invalid value: must be object'],
    ['no containers', { spec: { template: { spec: { containers: null } } } }, 422, 'Deployment.apps "web" is invalid: spec.template.spec: Invalid value: must have required properties containers'],
    ['another selector', { spec: { selector: { matchLabels: { a: 'b' } } } }, 422, '[spec.selector: Invalid value: field is immutable, spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`]'],
    ['a label that is no text', { metadata: { labels: { a: 1 } } }, 422, 'metadata.labels'],
    ['another name', { metadata: { name: 'other' } }, 400, 'the name of the object (other) does not match the name on the URL (web)'],
    ['another uid', { metadata: { uid: 'other' } }, 422, 'Deployment.apps "web" is invalid: metadata.uid: Invalid value: "other": field is immutable'],
  ])('refuses %s', async (_, body, status, message) => {
    const { patch, deployment } = open()
    const before = deployment()
    const answer = await patch(WEB, body)
    const { message: said, code } = (await answer.json()) as { message: string; code: number }
    expect({ status: answer.status, code }).toStrictEqual({ status, code: status })
    expect(said).toContain(message)
    expect(deployment()).toBe(before)
  })

  test('finds nothing where there is nothing', async () => {
    const answer = await open().patch(`${WEB}-2`, image)
    expect(await answer.json()).toMatchObject({
      code: 404,
      message: 'deployments.apps "web-2" not found',
    })
  })

  test('says which of its fields are not valid', async () => {
    const answer = await open().patch(WEB, { spec: { replicas: -1, paused: 'no' } })
    expect(await answer.json()).toMatchObject({
      message:
        'Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.paused: Invalid value: "no": must be boolean]',
      details: {
        name: 'web',
        group: 'apps',
        kind: 'Deployment',
        causes: [
          {
            reason: 'FieldValueInvalid',
            field: 'spec.replicas',
            message: 'Invalid value: -1: must be greater than or equal to 0',
          },
          {
            reason: 'FieldValueInvalid',
            field: 'spec.paused',
            message: 'Invalid value: "no": must be boolean',
          },
        ],
      },
    })
  })

  test('puts the defaults in the place of what is removed', async () => {
    const { patch, deployment } = open()
    await patch(WEB, {
      spec: {
        replicas: null,
        strategy: null,
        progressDeadlineSeconds: null,
        revisionHistoryLimit: null,
      },
    })
    expect(deployment().spec).toMatchObject({
      replicas: 1,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      },
    })
  })

  test.each([
    ['application/json-patch+json', '[]', 415, 'UnsupportedMediaType'],
    ['application/json', '{}', 415, 'UnsupportedMediaType'],
    ['', '{}', 415, 'UnsupportedMediaType'],
    ['application/merge-patch+json', '{', 400, 'BadRequest'],
    ['application/merge-patch+json', '[]', 400, 'BadRequest'],
    ['application/merge-patch+json', '"x"', 400, 'BadRequest'],
  ])('refuses %p with %p', async (type, body, status, reason) => {
    const { ask } = open()
    const answer = await ask('platform', WEB, {
      method: 'PATCH',
      body,
      headers: { 'content-type': type },
    })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ kind: 'Status', code: status, reason })
  })

  test.each([
    ['x', 1_000_000, 200],
    ['x', 1_050_000, 413],
    ['é', 500_000, 200],
    ['é', 525_000, 413],
  ])('takes a mebibyte and no more: %p, %d times, is %d', async (letter, times, status) => {
    const answer = await open().patch(WEB, {
      metadata: { annotations: { a: letter.repeat(times) } },
    })
    expect(answer.status).toBe(status)
  })
})

test('of a namespace annotations may be added, and labels removed', async () => {
  const { patch, store } = openSimulation()
  const path = '/api/v1/namespaces/payments-dev'
  await patch(path, { metadata: { annotations: { a: 'b' } } })
  await patch(path, { metadata: { labels: null } }, 'merge-patch')
  const { metadata } = store.get('namespaces', { name: 'payments-dev' }) ?? {}
  expect(metadata).toMatchObject({ annotations: { a: 'b' }, labels: {} })
  const [set] = store.list('replicasets')
  const refused = await patch(
    `/apis/apps/v1/namespaces/payments-dev/replicasets/${set?.metadata.name}`,
    {
      spec: { replicas: 7 },
    },
  )
  expect(await refused.json()).toMatchObject({
    code: 422,
    message: `ReplicaSet.apps "${set?.metadata.name}" is invalid: spec: Forbidden: may not be changed`,
  })
})

test('of a pod only labels and annotations may be patched', async () => {
  const { store, patch } = openSimulation(only({ replicas: 1 }))
  const [pod] = store.list('pods')
  const path = `/api/v1/namespaces/payments-dev/pods/${pod?.metadata.name}`
  expect((await patch(path, { metadata: { annotations: { a: 'b' } } })).status).toBe(200)
  expect(store.list('pods')[0]?.metadata.annotations).toMatchObject({ a: 'b' })
  const refused = await patch(path, { spec: { nodeName: 'elsewhere' } })
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({
    reason: 'Invalid',
    details: { causes: [{ reason: 'FieldValueForbidden' }] },
  })
})
