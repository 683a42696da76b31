import type { ApiObject, ClusterEvent, Deployment, ReplicaSet } from './objects.ts'
import { hex, newMetadata, referenceTo, timestamp } from './objects.ts'
import { goneAt, type PlannedPod, podAt, type World } from './pod.ts'
import { type DeploymentRecord, HASH_LABEL, maxSurge, replicaSetName } from './rollout.ts'

/** A pod that runs to its end. */
export interface JobRecord {
  readonly kind: 'Job'
  readonly pod: PlannedPod
}

export type WorkloadRecord = DeploymentRecord | JobRecord

/** The objects of a workload at a time, and when they change next by themselves. */
interface Objects {
  readonly objects: readonly ApiObject[]
  readonly next: number
}

/** Default of the API server's `--event-ttl`. */
const EVENT_MS = 3_600_000
/** Expired events are looked for this often. */
const SWEEP_MS = 300_000
const REVISION = 'deployment.kubernetes.io/revision'

/** A kind of workload is a record and a case here. */
export function objectsAt(record: WorkloadRecord, now: number, world: World): Objects {
  switch (record.kind) {
    case 'Deployment':
      return deploymentAt(record, now, world)
    case 'Job': {
      const { pods, notes, next } = podsAt([record.pod], now, world)
      return withEvents(
        pods.map(({ object }) => object),
        notes,
        now,
        next,
      )
    }
  }
}

interface Note {
  readonly about: Exclude<ApiObject, ClusterEvent>
  readonly fieldPath?: string
  readonly type?: 'Warning'
  readonly at: number
  readonly reason: string
  readonly message: string
  readonly component: string
  readonly host?: string
}

function podsAt<Planned extends PlannedPod>(
  planned: readonly Planned[],
  now: number,
  world: World,
) {
  const pods = planned
    .filter((pod) => pod.createdAt <= now)
    .map((pod) => ({ pod, end: goneAt(pod, world), ...podAt(pod, now, world) }))
  const notes = pods.flatMap(({ object, notes }): Note[] =>
    notes.map(({ container, ...note }) => {
      const isInit = object.spec.initContainers?.some(({ name }) => name === container)
      const list = isInit ? 'initContainers' : 'containers'
      return {
        ...note,
        about: object,
        ...(container !== undefined && { fieldPath: `spec.${list}{${container}}` }),
        ...(note.reason === 'Scheduled'
          ? { component: 'default-scheduler' }
          : { component: 'kubelet', host: object.spec.nodeName ?? '' }),
      }
    }),
  )
  const there = pods.filter(({ end }) => end > now)
  const created = planned.map((pod) => pod.createdAt).filter((at) => at > now)
  return { pods: there, notes, next: Math.min(...created, ...there.map(({ next }) => next)) }
}

function withEvents(
  objects: readonly ApiObject[],
  notes: readonly Note[],
  now: number,
  next: number,
): Objects {
  const subjectOf = ({ about, fieldPath, reason, message }: Note) =>
    [about.metadata.uid, fieldPath, reason, message].join('\n')
  const groups = [...Map.groupBy(notes, subjectOf)].map(([subject, group]) => {
    const times = group.map(({ at }) => at)
    return {
      subject,
      note: group[0],
      count: times.length,
      from: Math.min(...times),
      to: Math.max(...times),
    }
  })
  const recent = groups.filter(({ to }) => to > now - EVENT_MS)
  const ends = recent.map(({ to }) => to + EVENT_MS + SWEEP_MS)
  const events = recent.flatMap(({ subject, note, count, from, to }): ClusterEvent[] => {
    if (note === undefined) return []
    const { about, fieldPath, type = 'Normal', reason, message, component, host } = note
    const { name, namespace = '', uid } = about.metadata
    const key = hex(subject).slice(0, 16)
    return [
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: newMetadata('Event', `${name}.${key}`, namespace, from),
        involvedObject: {
          kind: about.kind,
          apiVersion: about.apiVersion,
          namespace,
          name,
          uid,
          ...(fieldPath !== undefined && { fieldPath }),
        },
        type,
        reason,
        message,
        firstTimestamp: timestamp(from),
        lastTimestamp: timestamp(to),
        count,
        eventTime: null,
        source: { component, ...(host !== undefined && { host }) },
        reportingComponent: component,
        reportingInstance: host ?? '',
      },
    ]
  })
  return { objects: [...objects, ...events], next: Math.min(next, ...ends) }
}

/** Go omits zero counts. */
const nonZero = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

function deploymentAt(record: DeploymentRecord, now: number, world: World): Objects {
  const { name, namespace, spec, revisions, generation, changedAt, finishedAt } = record
  const { pods, notes, next } = podsAt(record.pods, now, world)
  const staying = pods.filter(({ pod }) => pod.deletedAt > now)
  const countsOf = (some: typeof staying) => ({
    pods: some.length,
    ready: some.filter(({ isReady }) => isReady).length,
  })
  const all = countsOf(staying)
  const current = revisions.at(-1)
  const own = countsOf(staying.filter(({ pod }) => pod.hash === current?.hash))
  const deadline = record.progressedAt + spec.progressDeadlineSeconds * 1_000
  const replicaSet = `ReplicaSet "${replicaSetName(record, current?.hash ?? '')}"`
  const [progress, why, said, since] = spec.paused
    ? ['Unknown', 'DeploymentPaused', 'Deployment is paused', changedAt]
    : finishedAt <= now
      ? ['True', 'NewReplicaSetAvailable', `${replicaSet} has successfully progressed.`, finishedAt]
      : deadline <= now
        ? [
            'False',
            'ProgressDeadlineExceeded',
            `${replicaSet} has timed out progressing.`,
            deadline,
          ]
        : ['True', 'ReplicaSetUpdated', `${replicaSet} is progressing.`, changedAt]
  const times = [
    changedAt,
    ...record.pods.flatMap(({ createdAt, deletedAt }) => [createdAt, deletedAt]),
    ...pods.map((each) => each.changedAt),
  ]
  const updatedAt = timestamp(Math.max(...[...times, since].filter((at) => at <= now)))
  const isAvailable = all.ready >= spec.replicas
  const available = isAvailable
    ? ['MinimumReplicasAvailable', 'Deployment has minimum availability.']
    : ['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.']
  const condition = (type: string, status: string, reason = '', message = '', at = updatedAt) => {
    const condition = { type, status, reason, message }
    return { ...condition, lastUpdateTime: at, lastTransitionTime: at }
  }
  const annotations = { ...record.annotations, [REVISION]: String(current?.number ?? 0) }
  const metadata = {
    ...newMetadata('Deployment', name, namespace, record.createdAt),
    generation,
    labels: { ...record.labels },
    annotations,
  }
  const deployment: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...metadata,
      // The API server keeps the time of the last change of a status here.
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'apps/v1',
          subresource: 'status',
          time: updatedAt,
        },
      ],
    },
    spec,
    status: {
      observedGeneration: generation,
      ...nonZero({
        replicas: all.pods,
        updatedReplicas: own.pods,
        readyReplicas: all.ready,
        availableReplicas: all.ready,
        unavailableReplicas: Math.max(spec.replicas, all.pods) - all.ready,
      }),
      conditions: [
        condition('Available', isAvailable ? 'True' : 'False', ...available),
        condition('Progressing', progress, why, said, timestamp(since)),
      ],
    },
  }
  const replicaSets = revisions.map(({ number, hash, template, createdAt }): ReplicaSet => {
    const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
    const counts = countsOf(staying.filter(({ pod }) => pod.hash === hash))
    return {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        ...newMetadata('ReplicaSet', replicaSetName(record, hash), namespace, createdAt),
        generation: 1,
        labels,
        annotations: {
          'deployment.kubernetes.io/desired-replicas': String(spec.replicas),
          'deployment.kubernetes.io/max-replicas': String(spec.replicas + maxSurge(spec)),
          [REVISION]: String(number),
        },
        ownerReferences: [referenceTo(deployment)],
      },
      spec: {
        replicas: counts.pods,
        selector: { matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
      status: {
        observedGeneration: 1,
        replicas: counts.pods,
        ...nonZero({
          fullyLabeledReplicas: counts.pods,
          readyReplicas: counts.ready,
          availableReplicas: counts.ready,
        }),
      },
    }
  })
  const scaling = replicaSets.flatMap((replicaSet) =>
    scalingNotes(record, deployment, replicaSet, now),
  )
  const later = [deadline, finishedAt].filter((at) => at > now)
  const objects = [deployment, ...replicaSets, ...pods.map(({ object }) => object)]
  const deletions = record.pods.map(({ deletedAt }) => deletedAt).filter((at) => at > now)
  return withEvents(objects, [...notes, ...scaling], now, Math.min(next, ...later, ...deletions))
}

/** The notes of the controllers about the pods of a replica set that came and went. */
function scalingNotes(
  record: DeploymentRecord,
  deployment: Deployment,
  replicaSet: ReplicaSet,
  now: number,
): readonly Note[] {
  const { name } = replicaSet.metadata
  const pods = record.pods.filter(({ generateName }) => generateName === `${name}-`)
  const steps = pods
    .flatMap((pod) => [
      { pod: pod.name, at: pod.createdAt, by: 1 },
      { pod: pod.name, at: pod.deletedAt, by: -1 },
    ])
    .filter(({ at }) => at <= now)
    .toSorted((one, other) => one.at - other.at)
  let replicas = 0
  const ofDeployment = [...Map.groupBy(steps, ({ at }) => at)].map(([at, group]): Note => {
    const from = replicas
    replicas += group.reduce((sum, { by }) => sum + by, 0)
    const message = `Scaled ${replicas > from ? 'up' : 'down'} replica set ${name} from ${from} to ${replicas}`
    const component = 'deployment-controller'
    return { about: deployment, at, reason: 'ScalingReplicaSet', message, component }
  })
  return [
    ...ofDeployment,
    ...steps.map(({ pod, at, by }): Note => ({
      about: replicaSet,
      at,
      reason: by > 0 ? 'SuccessfulCreate' : 'SuccessfulDelete',
      message: `${by > 0 ? 'Created' : 'Deleted'} pod: ${pod}`,
      component: 'replicaset-controller',
    })),
  ]
}
