import { describe, expect, test } from 'bun:test'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { joinWorkloads } from '#src/lib/domain/clusters/workloads/join.ts'
import type {
  KubernetesCronJob,
  KubernetesDaemonSet,
  KubernetesDeployment,
  KubernetesJob,
  KubernetesPod,
  KubernetesReplicaSet,
  KubernetesStatefulSet,
} from '#src/lib/ports/kubernetes-objects.ts'
import { condition, deployment, ended, is, pod, restarted, RUNNING, waiting } from './objects.ts'

/**
 * A row per case: what we say, what gitops-engine (Argo CD) and kstatus (Flux, kpt) say of the same object by their published sources,
 * and why where we say something else. Both see one object alone; we see its pods too.
 */
const NOW = Date.parse('2026-11-21T12:00:00Z')
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString()
const OLD = ago(600)

type Facts = ReturnType<(typeof RESOURCES)['pod']['facts']>

const meta = (kind: string, more: object = {}) => ({
  name: 'shop',
  namespace: 'payments',
  uid: `${kind}-1`,
  generation: 1,
  creationTimestamp: OLD,
  ...more,
})
const template = { spec: { containers: [{ name: 'a', image: 'shop:1' }] } }

const dep = (
  status: KubernetesDeployment['status'] = {},
  spec: Partial<KubernetesDeployment['spec']> = {},
  more: object = {},
) =>
  RESOURCES.deployment.facts(
    deployment(status, spec, {
      uid: 'Deployment-1',
      annotations: { 'deployment.kubernetes.io/revision': '2' },
      ...more,
    }),
  )
const sts = (
  status: KubernetesStatefulSet['status'],
  spec: Partial<KubernetesStatefulSet['spec']> = {},
  more: object = {},
) =>
  RESOURCES.statefulset.facts({
    metadata: meta('StatefulSet', more),
    spec: {
      replicas: 3,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      template,
      ...spec,
    },
    status: { observedGeneration: 1, ...status },
  })
const ds = (status: KubernetesDaemonSet['status'], more: object = {}, type = 'RollingUpdate') =>
  RESOURCES.daemonset.facts({
    metadata: meta('DaemonSet', more),
    spec: { updateStrategy: { type }, template },
    status: { observedGeneration: 1, ...status },
  })
const job = (
  status: NonNullable<KubernetesJob['status']> = {},
  spec: Partial<KubernetesJob['spec']> = {},
  more: object = {},
) => RESOURCES.job.facts({ metadata: meta('Job', more), spec: { template, ...spec }, status })
const cron = (
  status: NonNullable<KubernetesCronJob['status']>,
  spec: Partial<KubernetesCronJob['spec']> = {},
) =>
  RESOURCES.cronjob.facts({
    metadata: meta('CronJob'),
    spec: { schedule: '0 * * * *', jobTemplate: { spec: { template } }, ...spec },
    status,
  })
const rs = (
  status: KubernetesReplicaSet['status'],
  spec: KubernetesReplicaSet['spec'] = {},
  more: object = {},
) =>
  RESOURCES.replicaset.facts({
    metadata: meta('ReplicaSet', more),
    spec: { replicas: 2, template, ...spec },
    status: { observedGeneration: 1, ...status },
  })

const READY = { type: 'Ready', status: 'True', lastTransitionTime: OLD }
const unready = (minutes: number) => ({
  type: 'Ready',
  status: 'False',
  lastTransitionTime: ago(minutes),
})
const LIMITED = [{ name: 'a', image: 'shop:1', resources: { limits: { memory: '128Mi' } } }]

let made = 0
function some(
  kind: string,
  status: KubernetesPod['status'],
  more: Partial<KubernetesPod['metadata']> = {},
  spec: Partial<KubernetesPod['spec']> = { containers: LIMITED },
): Facts {
  const owner = { kind, name: 'shop', uid: `${kind}-1`, controller: true }
  const uid = `pod-${++made}`
  return RESOURCES.pod.facts(
    pod(status, spec, {
      name: uid,
      uid,
      creationTimestamp: OLD,
      ownerReferences: kind === '' ? [] : [owner],
      ...more,
    }),
  )
}
const well = (kind: string, more = {}) =>
  some(kind, { phase: 'Running', conditions: [READY], containerStatuses: [is('a')] }, more)
const crashing =
  (exitCode: number, reason: string) =>
  (kind: string, more = {}) =>
    some(
      kind,
      {
        phase: 'Running',
        conditions: [unready(4)],
        containerStatuses: [
          is(
            'a',
            waiting('CrashLoopBackOff', 'back-off 5m'),
            restarted(7, ago(2), { exitCode, reason }),
          ),
        ],
      },
      more,
    )
const looping = crashing(1, 'Error')
const outOfMemory = crashing(137, 'OOMKilled')
const betweenCrashes = (kind: string, more = {}) =>
  some(
    kind,
    {
      phase: 'Running',
      conditions: [READY],
      containerStatuses: [
        is('a', RUNNING, restarted(7, ago(9), { exitCode: 137, reason: 'OOMKilled' })),
      ],
    },
    more,
  )
const noImage = (kind: string, more = {}) =>
  some(
    kind,
    {
      phase: 'Pending',
      conditions: [unready(3)],
      containerStatuses: [is('a', waiting('ImagePullBackOff', 'Back-off pulling image "shop:2"'))],
    },
    more,
  )
const starting = (kind: string, more = {}) =>
  some(
    kind,
    {
      phase: 'Running',
      conditions: [unready(0.5)],
      containerStatuses: [is('a', { running: { startedAt: ago(0.4) } }, { ready: false })],
    },
    { creationTimestamp: ago(0.5), ...more },
  )
const unschedulable = (kind: string, minutes: number) =>
  some(kind, {
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/5 nodes are available: 5 Insufficient cpu.',
        lastTransitionTime: ago(minutes),
      },
    ],
  })

/** Two revisions of a deployment, by the label of their pods. */
const REVISIONS = [1, 2].map((number) =>
  rs(
    {},
    {},
    {
      name: `shop-${number}`,
      uid: `ReplicaSet-${number}`,
      labels: { 'pod-template-hash': `h${number}` },
      annotations: { 'deployment.kubernetes.io/revision': String(number) },
      ownerReferences: [
        { kind: 'Deployment', name: 'shop', uid: 'Deployment-1', controller: true },
      ],
    },
  ),
)
const of = (revision: number) => ({
  labels: { 'pod-template-hash': `h${revision}` },
  ownerReferences: [
    {
      kind: 'ReplicaSet',
      name: `shop-${revision}`,
      uid: `ReplicaSet-${revision}`,
      controller: true,
    },
  ],
})
const D = 'Deployment'

const FULL = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }
const DONE = [
  condition('Available', 'True', 'MinimumReplicasAvailable'),
  condition('Progressing', 'True', 'NewReplicaSetAvailable'),
]
const SHORT = [
  condition('Available', 'False', 'MinimumReplicasUnavailable'),
  condition('Progressing', 'True', 'NewReplicaSetAvailable'),
]
const UPDATING = [
  condition('Available', 'True', 'MinimumReplicasAvailable'),
  condition('Progressing', 'True', 'ReplicaSetUpdated'),
]
const NODES = {
  desiredNumberScheduled: 4,
  currentNumberScheduled: 4,
  updatedNumberScheduled: 4,
  numberAvailable: 4,
  numberReady: 4,
}
const NO_REVISION = { updateStrategy: {} }

type Row = readonly [
  what: string,
  ours: string,
  argo: string,
  kstatus: string,
  objects: readonly Facts[],
  why?: string,
]

// prettier-ignore
const deployments: readonly Row[] = [
  ['finished', 'Healthy', 'Healthy', 'Current', [dep({ ...FULL, conditions: DONE })]],
  ['unobserved generation', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, conditions: DONE }, {}, { generation: 2 })]],
  ['no status yet', 'Progressing', 'Progressing', 'InProgress', [dep()]],
  ['rolling out, new pods start', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, updatedReplicas: 1, conditions: UPDATING }), ...REVISIONS, starting(D, of(2)), well(D, of(1))]],
  ['deadline exceeded', 'Degraded ProgressDeadlineExceeded', 'Degraded', 'Failed', [dep({ ...FULL, updatedReplicas: 1, conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] })]],
  ['image pull before the deadline', 'Degraded ImagePullBackOff', 'Progressing', 'InProgress', [dep({ ...FULL, updatedReplicas: 1, conditions: UPDATING }), ...REVISIONS, noImage(D, of(2)), well(D, of(1))], 'the pods say it now, the condition after ten minutes'],
  ['no progress deadline, all crash', 'Degraded CrashLoopBackOff', 'Progressing', 'InProgress', [dep({ replicas: 2, updatedReplicas: 2, conditions: UPDATING }, { progressDeadlineSeconds: 2_147_483_647 }), ...REVISIONS, looping(D, of(2)), looping(D, of(2))], 'nobody but the pods can say it'],
  ['scaled up after a finished rollout', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, replicas: 3, updatedReplicas: 3, conditions: SHORT }, { replicas: 3 }), ...REVISIONS, starting(D, of(2)), well(D, of(2)), well(D, of(2))]],
  ['node drain, 1 of 2 replaced', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, readyReplicas: 1, availableReplicas: 1, conditions: SHORT }), ...REVISIONS, starting(D, of(2)), well(D, of(2))]],
  ['ready, not available yet (minReadySeconds)', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, availableReplicas: 1, conditions: SHORT }, { minReadySeconds: 120 }), ...REVISIONS, well(D, of(2)), well(D, of(2))]],
  ['finished, then 1 of 2 crashes', 'Degraded CrashLoopBackOff', 'Progressing', 'InProgress', [dep({ ...FULL, readyReplicas: 1, availableReplicas: 1, conditions: SHORT }), ...REVISIONS, looping(D, of(2)), well(D, of(2))], 'nothing is in progress'],
  ['finished, then out of memory', 'Degraded OOMKilled', 'Progressing', 'InProgress', [dep({ ...FULL, readyReplicas: 1, availableReplicas: 1, conditions: SHORT }), ...REVISIONS, outOfMemory(D, of(2)), well(D, of(2))], 'and the reason behind the crash loop'],
  ['between two crashes', 'Unstable OOMKilled', 'Healthy', 'Current', [dep({ ...FULL, conditions: DONE }), ...REVISIONS, betweenCrashes(D, of(2))], 'a crash loop is green between two crashes'],
  ['restarted an hour ago', 'Healthy', 'Healthy', 'Current', [dep({ ...FULL, conditions: DONE }), ...REVISIONS, some(D, { phase: 'Running', conditions: [READY], containerStatuses: [is('a', RUNNING, restarted(7, ago(61)))] }, of(2))]],
  ['readiness lost a while ago', 'Degraded NotReady', 'Progressing', 'InProgress', [dep({ ...FULL, readyReplicas: 1, availableReplicas: 1, conditions: SHORT }), ...REVISIONS, some(D, { phase: 'Running', conditions: [unready(5)], containerStatuses: [is('a', { running: { startedAt: OLD } }, { ready: false })] }, of(2)), well(D, of(2))], 'it was ready, and is not for five minutes'],
  ['readiness lost just now', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, readyReplicas: 1, availableReplicas: 1, conditions: SHORT }), ...REVISIONS, some(D, { phase: 'Running', conditions: [unready(0.2)], containerStatuses: [is('a', { running: { startedAt: OLD } }, { ready: false })] }, of(2))]],
  ['quota: replicas cannot be created', 'Degraded FailedCreate', 'Progressing', 'InProgress', [dep({ ...FULL, updatedReplicas: 0, conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota')] })], 'it does not end by itself'],
  ['no node has room, for two minutes', 'Degraded Unschedulable', 'Progressing', 'InProgress', [dep({ ...FULL, updatedReplicas: 1, conditions: UPDATING }), unschedulable(D, 2)], 'as kstatus says of a pod'],
  ['no node has room, for half a minute', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, updatedReplicas: 1, conditions: UPDATING }), unschedulable(D, 0.5)]],
  ['being deleted', 'Progressing Terminating', 'Progressing', 'Terminating', [dep({ ...FULL, conditions: DONE }, {}, { deletionTimestamp: ago(1) })]],
  ['paused in mid-rollout', 'Suspended Paused', 'Suspended', 'InProgress', [dep({ ...FULL, updatedReplicas: 1, conditions: [condition('Progressing', 'Unknown', 'DeploymentPaused')] }, { paused: true })], 'somebody has to resume it'],
  ['paused, and all crash', 'Suspended CrashLoopBackOff', 'Suspended', 'InProgress', [dep({ replicas: 2, updatedReplicas: 2, conditions: SHORT }, { paused: true }), ...REVISIONS, looping(D, of(2)), looping(D, of(2))], 'and what its pods do'],
  ['scaling to zero, pods left', 'Progressing ScalingToZero', 'Healthy', 'InProgress', [dep({ replicas: 0, terminatingReplicas: 1, conditions: DONE }, { replicas: 0 })]],
  ['scaled to zero', 'Idle ScaledToZero', 'Healthy', 'Current', [dep({ conditions: DONE }, { replicas: 0 })], 'nothing runs'],
  ['all available, still ReplicaSetUpdated', 'Healthy', 'Healthy', 'InProgress', [dep({ ...FULL, conditions: UPDATING })], 'kubectl says it has rolled out'],
  ['an old pod crashes while new ones start', 'Progressing', 'Progressing', 'InProgress', [dep({ ...FULL, updatedReplicas: 1, conditions: UPDATING }), ...REVISIONS, looping(D, of(1)), starting(D, of(2))]],
  ['kstatus: not available', 'Progressing', 'Healthy', 'InProgress', [dep({ ...FULL, conditions: [condition('Available', 'False'), condition('Progressing', 'True', 'NewReplicaSetAvailable')] })]],
  ['evicted pods that were replaced', 'Healthy', 'Healthy', 'Current', [dep({ ...FULL, conditions: DONE }), ...REVISIONS, well(D, of(2)), some(D, { phase: 'Failed', reason: 'Evicted' }, of(2))]],
]

// prettier-ignore
const statefulSets: readonly Row[] = [
  ['complete', 'Healthy', 'Healthy', 'Current', [sts({ replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3 })]],
  ['kstatus: no status', 'Progressing', 'Progressing', 'InProgress', [sts({ observedGeneration: 0 })]],
  ['kstatus: too few replicas', 'Progressing', 'Progressing', 'InProgress', [sts({ currentReplicas: 1 })]],
  ['kstatus: too few ready', 'Progressing', 'Progressing', 'InProgress', [sts({ replicas: 3, currentReplicas: 3, updatedReplicas: 3, readyReplicas: 1 })]],
  ['kstatus: too few of the current revision', 'Progressing', 'Healthy', 'InProgress', [sts({ replicas: 3, currentReplicas: 1, readyReplicas: 3 }, NO_REVISION)]],
  ['kstatus: pods left over', 'Progressing ScalingDown', 'Healthy', 'InProgress', [sts({ replicas: 5, currentReplicas: 3, updatedReplicas: 3, readyReplicas: 3 })]],
  ['partition not reached', 'Progressing', 'Progressing', 'InProgress', [sts({ replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' }, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } })]],
  ['partition reached', 'Healthy', 'Healthy', 'Current', [sts({ replicas: 3, readyReplicas: 3, updatedReplicas: 2, currentRevision: 'a', updateRevision: 'b' }, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } })]],
  ['on delete, ready', 'Healthy', 'Healthy', 'Current', [sts({ replicas: 3, readyReplicas: 3, updatedReplicas: 1 }, { updateStrategy: { type: 'OnDelete' } })]],
  ['on delete, not ready', 'Progressing', 'Progressing', 'Current', [sts({ replicas: 3, readyReplicas: 2 }, { updateStrategy: { type: 'OnDelete' } })], 'as Argo CD: a pod is down'],
  ['revisions differ, no partition', 'Progressing', 'Progressing', 'InProgress', [sts({ replicas: 3, readyReplicas: 3, currentReplicas: 3, currentRevision: 'a', updateRevision: 'b' }, NO_REVISION)]],
  ['stuck on its first ordinal', 'Degraded ImagePullBackOff', 'Progressing', 'InProgress', [sts({ replicas: 1, currentReplicas: 1 }), noImage('StatefulSet')], 'no deadline ends it'],
  ['never ready, for ten minutes', 'Degraded NotReady', 'Progressing', 'InProgress', [sts({ replicas: 1, currentReplicas: 1 }), some('StatefulSet', { phase: 'Running', conditions: [unready(600)], containerStatuses: [is('a', { running: { startedAt: ago(599) } }, { ready: false })] })], 'no deadline ends it'],
  ['scaled to zero', 'Idle ScaledToZero', 'Healthy', 'Current', [sts({}, { replicas: 0 })], 'nothing runs'],
]

// prettier-ignore
const daemonSets: readonly Row[] = [
  ['complete', 'Healthy', 'Healthy', 'Current', [ds(NODES)]],
  ['kstatus: no status', 'Progressing', 'Healthy', 'InProgress', [RESOURCES.daemonset.facts({ metadata: meta('DaemonSet'), spec: { template } })]],
  ['kstatus: no number of nodes', 'Progressing', 'Healthy', 'InProgress', [ds({})]],
  ['kstatus: unobserved generation', 'Progressing', 'Progressing', 'InProgress', [ds(NODES, { generation: 2 })]],
  ['kstatus: too few ready', 'Progressing', 'Healthy', 'InProgress', [ds({ ...NODES, numberReady: 2 })]],
  ['kstatus: too few available', 'Progressing', 'Progressing', 'InProgress', [ds({ ...NODES, numberAvailable: 2 })]],
  ['too few updated', 'Progressing', 'Progressing', 'InProgress', [ds({ ...NODES, updatedNumberScheduled: 1 })]],
  ['short of nodes', 'Progressing TooFewNodes', 'Progressing', 'InProgress', [ds({ ...NODES, currentNumberScheduled: 3, numberAvailable: 3, numberReady: 3 })]],
  ['a node without room', 'Degraded Unschedulable', 'Progressing', 'InProgress', [ds({ ...NODES, numberAvailable: 3, numberReady: 3 }), unschedulable('DaemonSet', 5)], 'no deadline ends it'],
  ['on delete', 'Healthy', 'Healthy', 'InProgress', [ds({ ...NODES, updatedNumberScheduled: 1 }, {}, 'OnDelete')], 'as Argo CD: nobody updates it'],
  ['no node is meant', 'Idle NoNode', 'Healthy', 'Current', [ds({ desiredNumberScheduled: 0 })], 'nothing runs'],
]

const failed = (reason: string, message: string) => [condition('Failed', 'True', reason, message)]

// prettier-ignore
const jobs: readonly Row[] = [
  ['running', 'Progressing', 'Progressing', 'Current', [job({ active: 1, startTime: ago(1) })], 'as Argo CD: it has yet to end'],
  ['complete', 'Healthy Completed', 'Healthy', 'Current', [job({ succeeded: 1, conditions: [condition('Complete', 'True')] })]],
  ['failed', 'Degraded BackoffLimitExceeded', 'Degraded', 'Failed', [job({ failed: 7, conditions: failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit') })]],
  ['beyond its deadline', 'Degraded DeadlineExceeded', 'Degraded', 'Failed', [job({ failed: 1, conditions: failed('DeadlineExceeded', 'Job was active longer than specified deadline') })]],
  ['about to fail', 'Degraded PodFailurePolicy', 'Progressing', 'Current', [job({ active: 1, conditions: [condition('FailureTarget', 'True', 'PodFailurePolicy')] })], 'it will not succeed any more'],
  ['suspended', 'Suspended Suspended', 'Suspended', 'Current', [job({ conditions: [condition('Suspended', 'True')] }, { suspend: true })]],
  ['a try has failed, the next one runs', 'Progressing', 'Progressing', 'Current', [job({ active: 1, failed: 1 }), some('Job', { phase: 'Failed', containerStatuses: [is('a', ended(1))] }), starting('Job')]],
  ['its image cannot be pulled', 'Degraded ImagePullBackOff', 'Progressing', 'Current', [job({ active: 1 }), noImage('Job')], 'no try begins'],
]

// prettier-ignore
const cronJobs: readonly Row[] = [
  ['the last run succeeded', 'Healthy', 'none', 'Current', [cron({ lastScheduleTime: ago(30), lastSuccessfulTime: ago(29) })]],
  ['the last run failed', 'Degraded JobFailed', 'none', 'Current', [cron({ lastScheduleTime: ago(30), lastSuccessfulTime: ago(89) })], 'neither looks at the runs'],
  ['it has never succeeded', 'Degraded JobFailed', 'none', 'Current', [cron({ lastScheduleTime: ago(30) })], 'neither looks at the runs'],
  ['a run is active', 'Healthy Active', 'none', 'Current', [cron({ lastScheduleTime: ago(30), lastSuccessfulTime: ago(89), active: [{ name: 'shop-1' }] })]],
  ['missed its schedule', 'Degraded MissedSchedule', 'none', 'Current', [cron({ lastScheduleTime: ago(180), lastSuccessfulTime: ago(179) })], 'nothing else says that nothing happens'],
  ['a little late, or our clock is ahead', 'Healthy', 'none', 'Current', [cron({ lastScheduleTime: ago(24 * 60 + 10), lastSuccessfulTime: ago(24 * 60) }, { schedule: '50 11 * * *' })]],
  ['busy, and runs exclude each other', 'Healthy Active', 'none', 'Current', [cron({ lastScheduleTime: ago(180), active: [{ name: 'shop-1' }] }, { concurrencyPolicy: 'Forbid' })]],
  ['a schedule that is not understood', 'Healthy', 'none', 'Current', [cron({ lastScheduleTime: ago(500), lastSuccessfulTime: ago(499) }, { schedule: '@every 1h' })]],
  ['suspended', 'Suspended Suspended', 'none', 'Current', [cron({}, { suspend: true })], 'somebody has to resume it'],
]

// prettier-ignore
const others: readonly Row[] = [
  ['replica set: complete', 'Healthy', 'Healthy', 'Current', [rs({ replicas: 2, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 })]],
  ['replica set: too few available', 'Progressing', 'Progressing', 'InProgress', [rs({ replicas: 2, readyReplicas: 2, availableReplicas: 1 })]],
  ['replica set: pods left over', 'Progressing ScalingDown', 'Healthy', 'InProgress', [rs({ replicas: 4, readyReplicas: 4, availableReplicas: 4 })]],
  ['replica set: cannot create pods', 'Degraded FailedCreate', 'Degraded', 'InProgress', [rs({ conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota')] })]],
  ['replica set: unobserved generation', 'Progressing', 'Progressing', 'InProgress', [rs({}, {}, { generation: 2 })]],
  ['replica set: scaled to zero', 'Idle ScaledToZero', 'Healthy', 'Current', [rs({}, { replicas: 0 })], 'nothing runs'],
  ['pod: pending', 'Progressing Pending', 'Progressing', 'InProgress', [some('', { phase: 'Pending' }, { creationTimestamp: ago(1) })]],
  ['pod: ready', 'Healthy', 'Healthy', 'Current', [well('')]],
  ['pod: ready, and is not restarted', 'Healthy', 'Progressing', 'Current', [some('', { phase: 'Running', conditions: [READY], containerStatuses: [is('a')] }, {}, { containers: LIMITED })], 'Argo CD waits for the end of its hooks'],
  ['pod: completed', 'Healthy Completed', 'Healthy', 'Current', [some('', { phase: 'Succeeded' })]],
  ['pod: failed', 'Degraded Error', 'Degraded', 'Current', [some('', { phase: 'Failed', containerStatuses: [is('a', ended(2, { reason: 'Error' }))] })], 'as Argo CD: it has not done its work'],
  ['pod: crash loop', 'Degraded CrashLoopBackOff', 'Degraded', 'Failed', [looping('')]],
  ['pod: image pull', 'Degraded ImagePullBackOff', 'Degraded', 'InProgress', [noImage('')]],
  ['pod: not ready, and it crashed before', 'Degraded Error', 'Degraded', 'InProgress', [some('', { phase: 'Running', conditions: [unready(1)], containerStatuses: [is('a', RUNNING, { ready: false, ...restarted(3, ago(1)) })] })]],
  ['pod: being scheduled', 'Progressing Pending', 'Progressing', 'InProgress', [unschedulable('', 0.1)]],
  ['pod: no node takes it', 'Degraded Unschedulable', 'Progressing', 'Failed', [unschedulable('', 2)]],
  ['pod: being deleted', 'Progressing Terminating', 'Progressing', 'Terminating', [some('', { phase: 'Running' }, { deletionTimestamp: ago(1) })]],
]

/** The verdict on the first of the objects. */
function verdictOn(objects: readonly Facts[]) {
  const workloads = joinWorkloads(
    {
      workloads: objects.flatMap(({ workload }) => workload ?? []),
      pods: objects.flatMap(({ pod }) => pod ?? []),
    },
    NOW,
  )
  const found = workloads.find(({ uid }) => uid === objects[0]?.uid)
  if (found === undefined) throw new Error('it is no row')
  return found
}

const AGREES: Readonly<Record<string, readonly [string, string]>> = {
  Healthy: ['Healthy', 'Current'],
  Progressing: ['Progressing', 'InProgress'],
  Degraded: ['Degraded', 'Failed'],
  Suspended: ['Suspended', 'Current'],
  Idle: ['Healthy', 'Current'],
}

describe.each([
  ['Deployment', deployments],
  ['StatefulSet', statefulSets],
  ['DaemonSet', daemonSets],
  ['Job', jobs],
  ['CronJob', cronJobs],
  ['ReplicaSet and Pod', others],
] as const)('health of a %s', (_, rows) => {
  test.each(rows)('%s: %s', (...[, ours, , , objects]) => {
    const { health, reason } = verdictOn(objects)
    expect([health, reason].filter(Boolean).join(' ')).toBe(ours)
  })

  test('a verdict that differs from both others has its reason', () => {
    const bare = rows.filter(([, ours, argo, kstatus, , why]) => {
      const [health = ''] = ours.split(' ')
      const [asArgo, asKstatus] = AGREES[health] ?? []
      return why === undefined && asArgo !== argo && asKstatus !== kstatus
    })
    // A Kubernetes object that is being deleted has a word of its own in kstatus.
    expect(bare.map(([what]) => what)).toStrictEqual([])
  })
})

describe('the sentence', () => {
  const rollout = dep({ ...FULL, updatedReplicas: 1, conditions: UPDATING })

  test('counts the new pods, and says whether the old version still serves', () => {
    const objects = [rollout, ...REVISIONS, noImage(D, of(2)), starting(D, of(2)), well(D, of(1))]
    expect(verdictOn(objects)).toMatchObject({
      message:
        '1 of 2 new pods: ImagePullBackOff; the old version still serves. Back-off pulling image "shop:2"',
      since: ago(3),
    })
  })

  test('has the limit beside OOMKilled, and the worst reason first', () => {
    const objects = [rollout, ...REVISIONS, noImage(D, of(2)), outOfMemory(D, of(2))]
    expect(verdictOn(objects).message).toBe('1 of 2 pods: OOMKilled, memory limit 128Mi')
  })

  test('has the words of the scheduler', () => {
    expect(verdictOn([rollout, unschedulable(D, 2)]).message).toBe(
      '1 of 1 pods: Unschedulable. 0/5 nodes are available: 5 Insufficient cpu.',
    )
  })

  test('of a paused one says what its pods do', () => {
    const paused = dep({ replicas: 1, updatedReplicas: 1, conditions: SHORT }, { paused: true })
    expect(verdictOn([paused, ...REVISIONS, looping(D, of(2))]).message).toBe(
      'Its rollout is paused; 1 of 1 pods: CrashLoopBackOff, exit code 1',
    )
  })

  test('of a failed cron job has the reason of its last run', () => {
    const owner = { kind: 'CronJob', name: 'shop', uid: 'CronJob-1', controller: true }
    const run = job(
      { failed: 1, conditions: failed('DeadlineExceeded', 'Job was active too long') },
      {},
      { ownerReferences: [owner] },
    )
    const verdict = verdictOn([cron({ lastScheduleTime: ago(30) }), run])
    expect(verdict.message).toBe('The last run failed: Job was active too long')
  })

  // prettier-ignore
  test.each([
    ['a job that shares work', job({ active: 1, succeeded: 2 }, { parallelism: 3 }),               '2 runs have completed, 1 active'],
    ['a job',                  job({ active: 1, succeeded: 2, failed: 1 }, { completions: 3 }),    '2 of 3 runs have completed, 1 active, 1 failed'],
    ['updates on delete',      ds({ ...NODES, updatedNumberScheduled: 1 }, {}, 'OnDelete'),        '4 pods are ready; updates wait for deletion'],
  ])('of %s', (_, facts, message) => {
    expect(verdictOn([facts]).message).toBe(message)
  })

  test('is that of kubectl while nothing is wrong', () => {
    expect(verdictOn([rollout]).message).toBe(
      'Waiting for deployment "shop" rollout to finish: 1 out of 2 new replicas have been updated...',
    )
  })
})

test('what another workload of the list controls is no row', () => {
  const objects = [
    dep({ ...FULL, conditions: DONE }),
    ...REVISIONS,
    well(D, of(2)),
    rs({}, {}, { uid: 'bare' }),
  ]
  const rows = joinWorkloads(
    {
      workloads: objects.flatMap(({ workload }) => workload ?? []),
      pods: objects.flatMap(({ pod }) => pod ?? []),
    },
    NOW,
  )
  expect(rows.map(({ kind, uid }) => [kind, uid])).toStrictEqual([
    ['Deployment', 'Deployment-1'],
    ['ReplicaSet', 'bare'],
  ])
})

test('a cron job of another zone is due at its hour, also after a change of clocks', () => {
  // Berlin: summer time ended on 25 October 2026.
  const daily = RESOURCES.cronjob.facts({
    metadata: meta('CronJob'),
    spec: {
      schedule: '30 6 * * *',
      timeZone: 'Europe/Berlin',
      jobTemplate: { spec: { template } },
    },
    status: { lastScheduleTime: '2026-10-24T04:30:00Z' },
  })
  expect(new Date(daily.workload?.dueAt ?? 0).toISOString()).toBe('2026-10-25T05:30:00.000Z')
})
