import { describe, expect, test } from 'bun:test'
import { deploymentView, laterDeploymentView } from '#src/lib/domain/clusters/deployment.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { condition, deployment } from './objects.ts'

const DEADLINE = condition('Progressing', 'False', 'ProgressDeadlineExceeded')
const QUOTA = condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota')
const FINISHED = condition('Progressing', 'True', 'NewReplicaSetAvailable')
const UNAVAILABLE = condition('Available', 'False', 'MinimumReplicasUnavailable')
const ROLLING = condition('Progressing', 'True', 'ReplicaSetUpdated')
const DELETED = { deletionTimestamp: '2026-11-21T11:59:00Z' }
const ALL = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }

/** Later than all times of the objects, by far. */
const NOW = Date.UTC(2026, 10, 21, 12)

describe('the status', () => {
  // prettier-ignore
  test.each<[string, KubernetesDeployment, string]>([
    ['all is there',                          deployment(ALL),                                                              'Available'],
    ['more than asked for',                   deployment({ ...ALL, replicas: 3, updatedReplicas: 3, availableReplicas: 3 }), 'Available'],
    ['available, and says so',                deployment({ ...ALL, conditions: [condition('Available', 'True')] }),         'Available'],
    ['a failure of the past',                 deployment({ ...ALL, conditions: [{ ...QUOTA, status: 'False' }] }),          'Available'],
    ['paused',                                deployment(ALL, { paused: true }),                                            'Paused'],
    ['paused half way',                       deployment({ replicas: 3, updatedReplicas: 1 }, { paused: true }),            'Paused'],
    ['paused, too late',                      deployment({ conditions: [DEADLINE, QUOTA, UNAVAILABLE] }, { paused: true }), 'Paused'],
    ['paused, scaled to zero',                deployment({}, { paused: true, replicas: 0 }),                                'Paused'],
    ['too late',                              deployment({ replicas: 2, updatedReplicas: 1, conditions: [DEADLINE] }),      'Degraded'],
    ['pods cannot be made',                   deployment({ conditions: [QUOTA] }),                                          'Degraded'],
    ['pods cannot be made, among others',     deployment({ conditions: [condition('Available', 'True'), QUOTA] }),          'Degraded'],
    ['too late, scaled to zero',              deployment({ conditions: [DEADLINE] }, { replicas: 0 }),                      'Degraded'],
    ['scaled to zero',                        deployment({}, { replicas: 0 }),                                              'ScaledToZero'],
    ['scaled to zero, and nobody saw it yet', deployment({}, { replicas: 0 }, { generation: 2 }),                           'ScaledToZero'],
    ['scaled to zero, says it is available',  deployment({ conditions: [condition('Available', 'True')] }, { replicas: 0 }), 'ScaledToZero'],
    ['scaled to zero, old pods are left',     deployment({ replicas: 2, updatedReplicas: 0 }, { replicas: 0 }),             'Progressing'],
    ['scaled to zero, pods are left',         deployment(ALL, { replicas: 0 }),                                             'Progressing'],
    ['scaled to zero, pods are ending',       deployment({ terminatingReplicas: 2 }, { replicas: 0 }),                      'Progressing'],
    ['being deleted',                         deployment(ALL, {}, DELETED),                                                 'Progressing'],
    ['being deleted, paused and too late',    deployment({ conditions: [DEADLINE] }, { paused: true }, DELETED),            'Progressing'],
    ['not seen by the controller',            deployment(ALL, {}, { generation: 2 }),                                       'Progressing'],
    ['too late, but that was before',         deployment({ ...ALL, conditions: [DEADLINE] }, {}, { generation: 2 }),        'Progressing'],
    ['some are updated',                      deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),        'Progressing'],
    ['old ones are left',                     deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 3 }),        'Progressing'],
    ['not all are available',                 deployment({ ...ALL, availableReplicas: 1, conditions: [UNAVAILABLE] }),      'Progressing'],
    ['pods of a finished rollout crashed',    deployment({ ...ALL, availableReplicas: 0, conditions: [UNAVAILABLE, FINISHED] }), 'Degraded'],
    ['one pod of a finished rollout crashed', deployment({ ...ALL, availableReplicas: 1, conditions: [condition('Available', 'True'), FINISHED] }), 'Degraded'],
    ['the next rollout, not seen yet',        deployment({ ...ALL, availableReplicas: 1, conditions: [FINISHED] }, {}, { generation: 2 }), 'Progressing'],
    ['the next rollout, pods to make',        deployment({ ...ALL, updatedReplicas: 1, conditions: [ROLLING] }),            'Progressing'],
    ['the next rollout, old ones are left',   deployment({ ...ALL, replicas: 3, conditions: [ROLLING] }),                   'Progressing'],
    ['rolled out, and says it is unavailable', deployment({ ...ALL, conditions: [UNAVAILABLE, FINISHED] }),                 'Degraded'],
    ['one replica, if it is not said',        { ...deployment(), spec: { template: {} }, status: { observedGeneration: 1, conditions: [FINISHED] } }, 'Degraded'],
  ])('%s', (_, object, status) => {
    expect<string>(deploymentView(object, NOW).status).toBe(status)
  })
})

/** A deployment of a finished rollout whose status changed that many seconds before `NOW`. */
function changed(
  secondsAgo: number,
  replicas: number,
  status: KubernetesDeployment['status'],
  spec: Partial<KubernetesDeployment['spec']> = {},
): KubernetesDeployment {
  const timeAt = (ago: number) => new Date(NOW - ago * 1_000).toISOString()
  const finished = { ...FINISHED, lastUpdateTime: timeAt(90_000), lastTransitionTime: null }
  return deployment(
    { replicas, updatedReplicas: replicas, conditions: [finished], ...status },
    { replicas, ...spec },
    {
      managedFields: [
        { time: timeAt(0) },
        { subresource: 'status', time: timeAt(secondsAgo) },
        { subresource: 'scale', time: timeAt(0) },
      ],
    },
  )
}

describe('after a finished rollout, a time without progress is degraded', () => {
  const ready = (readyReplicas: number, availableReplicas = readyReplicas) => ({
    readyReplicas,
    availableReplicas,
  })
  const scaling = { replicas: 400, updatedReplicas: 400 }
  const since = (secondsAgo: number, type: 'lastUpdateTime' | 'lastTransitionTime') => ({
    ...ready(3),
    conditions: [
      FINISHED,
      { ...UNAVAILABLE, [type]: new Date(NOW - secondsAgo * 1_000).toISOString() },
    ],
  })
  const slow = { minReadySeconds: 120 }

  // prettier-ignore
  test.each<[string, KubernetesDeployment, 'Available' | 'Progressing' | 'Degraded', number | null]>([
    ['3 → 6, just now',                         changed(1, 6, ready(3)),              'Progressing', 59],
    ['3 → 6, nothing new for too long',         changed(60, 6, ready(5)),             'Degraded',    null],
    ['3 → 6, done',                             changed(1, 6, ready(6)),              'Available',   null],
    ['3 → 1,500, pods to make',                 changed(2, 1_500, { ...ready(90), ...scaling }),  'Progressing', 58],
    ['3 → 1,500, none is made any more',        changed(61, 1_500, { ...ready(90), ...scaling }), 'Degraded', null],
    ['3 → 1,500, minutes later',                changed(3, 1_500, ready(1_200)),      'Progressing', 57],
    ['a node is drained, one of 3 replaced',    changed(20, 3, ready(2)),             'Progressing', 40],
    ['the replacement does not start',          changed(75, 3, ready(2)),             'Degraded',    null],
    ['minReadySeconds, all ready',              changed(100, 6, ready(6, 3), slow),   'Progressing', 80],
    ['minReadySeconds, long over',              changed(180, 6, ready(6, 3), slow),   'Degraded',    null],
    ['minReadySeconds, and one is not ready',   changed(61, 3, ready(2), slow),       'Degraded',    null],
    ['one of 10 has just crashed',              changed(5, 10, ready(9)),             'Progressing', 55],
    ['one of 10 crashed',                       changed(300, 10, ready(9)),           'Degraded',    null],
    ['all crashed',                             changed(300, 3, ready(0)),            'Degraded',    null],
    ['by another clock, which is ahead',        changed(-30, 6, ready(3)),            'Progressing', 90],
    ['only its condition has a time',           deployment({ ...ALL, ...since(10, 'lastTransitionTime') }, { replicas: 4 }), 'Progressing', 50],
    ['only its condition was updated',          deployment({ ...ALL, ...since(10, 'lastUpdateTime') }, { replicas: 4 }),     'Progressing', 50],
    ['its condition is older',                  deployment({ ...ALL, ...since(60, 'lastTransitionTime') }, { replicas: 4 }), 'Degraded', null],
    ['a new rollout fails, within its deadline', changed(300, 3, { ...ready(2), conditions: [ROLLING] }),  'Progressing', null],
    ['a new rollout fails, for too long',       changed(1, 3, { ...ready(2), conditions: [DEADLINE] }),    'Degraded',    null],
    ['pods cannot be made',                     changed(1, 6, { ...ready(3), conditions: [FINISHED, QUOTA] }), 'Degraded', null],
  ])('%s', (_, object, status, laterSeconds) => {
    const view = deploymentView(object, NOW)
    const later = laterDeploymentView(object, NOW)
    expect([view.status, later?.afterMs ?? null]).toStrictEqual([
      status,
      laterSeconds && laterSeconds * 1_000,
    ])
    if (later !== null) expect(later.view).toStrictEqual({ ...view, status: 'Degraded' })
  })
})

// prettier-ignore
test.each<[string, KubernetesDeployment, string]>([
  ['being deleted',   deployment(ALL, {}, DELETED),                               'deployment "shop" is being deleted'],
  ['pods are left',   deployment(ALL, { replicas: 0 }),                           'Waiting for deployment "shop" to scale to zero: 2 pods are left...'],
  ['pods are ending', deployment({ terminatingReplicas: 3 }, { replicas: 0 }),    'Waiting for deployment "shop" to scale to zero: 3 pods are left...'],
  ['scaled to zero',  deployment({}, { replicas: 0 }),                            'deployment "shop" successfully rolled out'],
])('says what kubectl is silent about: %s', (_, object, message) => {
  expect(deploymentView(object, NOW).statusMessage).toBe(message)
})

test.each([true, false])('whether it is paused: %p', (paused) => {
  expect(deploymentView(deployment(ALL, { paused }), NOW).paused).toBe(paused)
})

test('everything that is said of a deployment', () => {
  const object = deployment(
    {
      observedGeneration: 11,
      replicas: 3,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 1,
      conditions: [condition('Progressing', 'True', 'ReplicaSetUpdated', 'it moves'), UNAVAILABLE],
    },
    {
      replicas: 3,
      template: {
        metadata: {
          annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-02-03T04:05:06Z', other: 'x' },
        },
        spec: {
          containers: [
            { name: 'a', image: 'shop:1' },
            { name: 'b', image: 'proxy:2' },
            { name: 'c', image: 'shop:1' },
          ],
        },
      },
    },
    { generation: 11, labels: { app: 'shop' } },
  )
  expect(deploymentView(object, NOW)).toStrictEqual({
    name: 'shop',
    namespace: 'payments',
    uid: 'u-1',
    status: 'Progressing',
    statusMessage:
      'Waiting for deployment "shop" rollout to finish: 1 out of 3 new replicas have been updated...',
    replicas: { desired: 3, updated: 1, ready: 2, available: 2, unavailable: 1 },
    images: ['shop:1', 'proxy:2'],
    strategy: 'RollingUpdate',
    paused: false,
    generation: 11,
    observedGeneration: 11,
    restartedAt: '2026-02-03T04:05:06Z',
    createdAt: '2026-01-01T00:00:00Z',
    labels: { app: 'shop' },
    conditions: [
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: 'it moves' },
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: null },
    ],
  })
})

test('the least that there is of a deployment', () => {
  const { name, namespace, uid, creationTimestamp } = deployment().metadata
  const object = { metadata: { name, namespace, uid, creationTimestamp }, spec: { template: {} } }
  expect(deploymentView(object, NOW)).toStrictEqual({
    name: 'shop',
    namespace: 'payments',
    uid: 'u-1',
    status: 'Progressing',
    statusMessage: 'deployment "shop" successfully rolled out',
    replicas: { desired: 1, updated: 0, ready: 0, available: 0, unavailable: 0 },
    images: [],
    strategy: null,
    paused: false,
    generation: 0,
    observedGeneration: 0,
    restartedAt: null,
    createdAt: '2026-01-01T00:00:00Z',
    labels: {},
    conditions: [],
  })
})

test('what nobody asked for stays out', () => {
  const canary = 'correct horse battery staple'
  const object = {
    ...deployment(ALL),
    metadata: {
      ...deployment().metadata,
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary },
      managedFields: [{ manager: canary, subresource: 'status', time: null }],
    },
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: canary } },
      template: {
        metadata: { annotations: { secret: canary }, labels: { x: canary } },
        spec: {
          volumes: [{ name: canary }],
          containers: [
            {
              name: 'a',
              image: 'shop:1',
              args: [canary],
              command: [canary],
              env: [{ name: 'PASSWORD', value: canary }],
            },
          ],
        },
      },
    },
    status: { ...ALL, observedGeneration: 1, conditions: [{ ...UNAVAILABLE, other: canary }] },
  }
  expect(JSON.stringify(deploymentView(object, NOW))).not.toContain(canary)
})
