import { describe, expect, test } from 'bun:test'
import { deploymentView } from '#src/lib/domain/clusters/deployment.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { condition, deployment } from './objects.ts'

const DEADLINE = condition('Progressing', 'False', 'ProgressDeadlineExceeded')
const QUOTA = condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota')
const FINISHED = condition('Progressing', 'True', 'NewReplicaSetAvailable')
const UNAVAILABLE = condition('Available', 'False', 'MinimumReplicasUnavailable')
const ALL = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }

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
    ['scaled to zero, pods are left',         deployment({ replicas: 2, updatedReplicas: 0 }, { replicas: 0 }),             'Progressing'],
    ['not seen by the controller',            deployment(ALL, {}, { generation: 2 }),                                       'Progressing'],
    ['too late, but that was before',         deployment({ ...ALL, conditions: [DEADLINE] }, {}, { generation: 2 }),        'Progressing'],
    ['some are updated',                      deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),        'Progressing'],
    ['old ones are left',                     deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 3 }),        'Progressing'],
    ['not all are available',                 deployment({ ...ALL, availableReplicas: 1, conditions: [UNAVAILABLE] }),      'Progressing'],
    ['pods of a finished rollout crashed',    deployment({ ...ALL, availableReplicas: 0, conditions: [UNAVAILABLE, FINISHED] }), 'Degraded'],
    ['one pod of a finished rollout crashed', deployment({ ...ALL, availableReplicas: 1, conditions: [condition('Available', 'True'), FINISHED] }), 'Degraded'],
    ['the next rollout, not seen yet',        deployment({ ...ALL, availableReplicas: 1, conditions: [FINISHED] }, {}, { generation: 2 }), 'Progressing'],
    ['the next rollout, pods to make',        deployment({ ...ALL, updatedReplicas: 1, conditions: [FINISHED] }),           'Progressing'],
    ['the next rollout, old ones are left',   deployment({ ...ALL, replicas: 3, conditions: [FINISHED] }),                  'Progressing'],
    ['rolled out, and says it is unavailable', deployment({ ...ALL, conditions: [UNAVAILABLE] }),                           'Degraded'],
    ['one replica, if it is not said',        { ...deployment(), spec: { template: {} }, status: { observedGeneration: 1 } }, 'Degraded'],
  ])('%s', (_, object, status) => {
    expect<string>(deploymentView(object).status).toBe(status)
  })
})

test.each([true, false])('whether it is paused: %p', (paused) => {
  expect(deploymentView(deployment(ALL, { paused })).paused).toBe(paused)
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
  expect(deploymentView(object)).toStrictEqual({
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
  expect(deploymentView(object)).toStrictEqual({
    name: 'shop',
    namespace: 'payments',
    uid: 'u-1',
    status: 'Degraded',
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
      managedFields: [{ manager: canary }],
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
  expect(JSON.stringify(deploymentView(object))).not.toContain(canary)
})
