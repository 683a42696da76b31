import { expect, test } from 'bun:test'
import type {
  CoreV1Event,
  V1CronJob,
  V1DaemonSet,
  V1Deployment,
  V1Job,
  V1Pod,
  V1ReplicaSet,
  V1StatefulSet,
} from '@kubernetes/client-node'
import { Value } from 'typebox/value'
import {
  type KubernetesCronJob,
  type KubernetesDaemonSet,
  KubernetesDeployment,
  KubernetesEvent,
  type KubernetesJob,
  KubernetesPod,
  type KubernetesReplicaSet,
  type KubernetesStatefulSet,
} from '#src/lib/ports/kubernetes-objects.ts'

/** What a published object is on the wire: times are text. */
type Json<Published> = Published extends Date
  ? string
  : Published extends object
    ? { [Key in keyof Published]: Json<Published[Key]> }
    : Published

/** Without a word on what may be left out, on which the published types are generous. */
type Whole<Type> = Type extends object
  ? { [Key in keyof Type]-?: Whole<Exclude<Type[Key], undefined | null>> }
  : Type

/** Whether every member that we name is published under this name with this type. */
type IsPublished<Ours, Published> = Whole<Json<Published>> extends Whole<Ours> ? true : false

test('every member that is read is one of the published types', () => {
  // Proven by the compiler.
  const isPublished: [
    IsPublished<KubernetesPod, V1Pod>,
    IsPublished<KubernetesDeployment, V1Deployment>,
    IsPublished<KubernetesReplicaSet, V1ReplicaSet>,
    IsPublished<KubernetesStatefulSet, V1StatefulSet>,
    IsPublished<KubernetesDaemonSet, V1DaemonSet>,
    IsPublished<KubernetesJob, V1Job>,
    IsPublished<KubernetesCronJob, V1CronJob>,
    IsPublished<KubernetesEvent, CoreV1Event>,
  ] = [true, true, true, true, true, true, true, true]
  expect(isPublished).not.toContain(false)
})

test('the proof is one: it knows a wrong name and a wrong type, however deep', () => {
  const isPublished: [
    IsPublished<{ metadata: { nmae: string } }, V1Pod>,
    IsPublished<{ metadata?: { uid?: number } }, V1Pod>,
    IsPublished<{ metadata: { creationTimestamp: Date } }, V1Pod>,
    IsPublished<{ status?: { containerStatuses?: { restarts?: number }[] } }, V1Pod>,
    IsPublished<{ status?: { containerStatuses?: { ready?: string }[] } }, V1Pod>,
    IsPublished<{ metadata: { labels?: Record<string, number> } }, V1Pod>,
  ] = [false, false, false, false, false, false]
  expect(isPublished).not.toContain(true)
})

// As API servers send them: without zero values, but with `null` for the zero time.
const metadata = {
  name: 'shop',
  namespace: 'payments',
  uid: '0197',
  creationTimestamp: '2026-01-01T00:00:00Z',
}
type Sent<Published> = { [Key in keyof Published]?: unknown }

const pod: Sent<V1Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [{ name: 'a', resources: {} }] },
  status: {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastProbeTime: null }],
    containerStatuses: [
      {
        name: 'a',
        image: 'shop:1',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 137,
            reason: 'ContainerStatusUnknown',
            startedAt: null,
            finishedAt: null,
          },
        },
        lastState: {},
      },
      { name: 'b', state: { running: { startedAt: null } }, lastState: { terminated: {} } },
    ],
  },
}
const deployment: Sent<V1Deployment> = {
  metadata: { ...metadata, generation: 1 },
  spec: {
    replicas: 0,
    strategy: {},
    template: { metadata: { creationTimestamp: null }, spec: { containers: [{ name: 'a' }] } },
  },
  status: {},
}
const event: Sent<CoreV1Event> = {
  metadata,
  involvedObject: { kind: 'Pod' },
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: '2026-01-01T00:00:00.000001Z',
  series: { count: 2, lastObservedTime: null },
  reportingComponent: '',
}

test.each([
  ['a pod of which the kubelet lost a container', KubernetesPod, pod],
  ['a pod that nobody has seen yet', KubernetesPod, { ...pod, status: {} }],
  ['a deployment that nobody has seen yet', KubernetesDeployment, deployment],
  ['an event of a new recorder', KubernetesEvent, event],
  ['an event of an old recorder', KubernetesEvent, { metadata, eventTime: null, count: 2 }],
])('%s is read', (_, schema, object) => {
  expect(Value.Errors(schema, object)).toStrictEqual([])
})
