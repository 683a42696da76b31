import type {
  KubernetesDaemonSet,
  KubernetesDeployment,
  KubernetesReplicaSet,
  KubernetesStatefulSet,
} from '../../../ports/kubernetes-objects.ts'
import { podsLeft, replicasOf } from '../deployment.ts'
import { imagesOf } from '../containers.ts'
import {
  daemonSetRollout,
  deploymentRollout,
  isUnobserved,
  statefulSetRollout,
} from '../rollout-status.ts'
import {
  factsOf,
  failureOf,
  holding,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

// Facts and verdicts of kinds that keep pods running. The cases and their reasons are in `docs/decisions/health.md`.

const REVISION = 'deployment.kubernetes.io/revision'

export function deploymentFacts(deployment: KubernetesDeployment): WorkloadFacts {
  const { metadata, spec } = deployment
  return factsOf('Deployment', metadata, deploymentVerdict(deployment), {
    replicas: replicasOf(deployment),
    images: imagesOf(spec.template.spec?.containers ?? []),
    revision: metadata.annotations?.[REVISION] ?? null,
    startupMs: null,
    suspended: spec.paused ?? false,
  })
}

function deploymentVerdict(deployment: KubernetesDeployment): Verdict {
  const { spec, status = {} } = deployment
  const { conditions } = status
  const rollout = deploymentRollout(deployment)
  const progressing = conditions?.find(({ type }) => type === 'Progressing')
  const { desired, available } = replicasOf(deployment)

  if (spec.paused === true) return verdict('Suspended', 'Its rollout is paused', 'Paused')
  const failed = holding(conditions, 'ReplicaFailure')
  if (failed !== undefined) return failureOf(failed)
  if (rollout.failed) {
    const since = progressing?.lastTransitionTime ?? null
    return verdict('Degraded', rollout.message, 'ProgressDeadlineExceeded', since)
  }
  if (desired === 0 && rollout.done) return scaledToZero(podsLeft(deployment))
  const isAvailable = conditions?.find(({ type }) => type === 'Available')?.status !== 'False'
  if (!rollout.done || !isAvailable || available < desired) {
    return verdict('Progressing', rollout.message, null, progressing?.lastUpdateTime ?? null)
  }
  const since = holding(conditions, 'Available')?.lastTransitionTime ?? null
  return verdict('Healthy', rollout.message, null, since)
}

/** The label that tells the pods of one replica set from those of another. */
export const POD_HASH = 'pod-template-hash'

/** Most replica sets are revisions of a deployment. */
export function replicaSetFacts(set: KubernetesReplicaSet): WorkloadFacts {
  const { metadata, spec = {}, status = {} } = set
  const desired = spec.replicas ?? 1
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status
  return factsOf('ReplicaSet', metadata, replicaSetVerdict(set), {
    replicas: {
      desired,
      updated: replicas,
      ready: readyReplicas,
      available: availableReplicas,
      unavailable: Math.max(0, desired - availableReplicas),
    },
    images: imagesOf(spec.template?.spec?.containers ?? []),
    revision: metadata.annotations?.[REVISION] ?? null,
    podRevision: metadata.labels?.[POD_HASH] ?? null,
  })
}

function replicaSetVerdict({ metadata, spec = {}, status = {} }: KubernetesReplicaSet): Verdict {
  const desired = spec.replicas ?? 1
  const { replicas = 0, availableReplicas = 0, readyReplicas = 0 } = status
  if (isUnobserved(metadata, status)) {
    return verdict('Progressing', 'Its last change has yet to be observed')
  }
  const failed = holding(status.conditions, 'ReplicaFailure')
  if (failed !== undefined) return failureOf(failed)
  if (replicas > desired) return scalingDown(replicas - desired)
  if (desired === 0) return scaledToZero(0)
  const available = Math.min(availableReplicas, readyReplicas)
  return available < desired
    ? verdict('Progressing', `${available} of ${desired} pods are available`)
    : verdict('Healthy', `${desired} of ${desired} pods are available`)
}

export function statefulSetFacts(set: KubernetesStatefulSet): WorkloadFacts {
  const { metadata, spec, status = {} } = set
  const desired = spec.replicas ?? 1
  const { readyReplicas = 0, availableReplicas = readyReplicas } = status
  const isUpdated = status.currentRevision === status.updateRevision
  return factsOf('StatefulSet', metadata, statefulSetVerdict(set), {
    replicas: {
      desired,
      // While the revisions are the same the controller counts pods as current ones.
      updated: (isUpdated ? status.currentReplicas : status.updatedReplicas) ?? 0,
      ready: readyReplicas,
      available: availableReplicas,
      unavailable: Math.max(0, desired - availableReplicas),
    },
    images: imagesOf(spec.template.spec?.containers ?? []),
    revision: status.updateRevision ?? null,
    podRevision: status.updateRevision ?? null,
  })
}

function statefulSetVerdict(set: KubernetesStatefulSet): Verdict {
  const { spec, status = {} } = set
  const { replicas = 0, readyReplicas = 0, currentReplicas = 0 } = status
  const desired = spec.replicas ?? 1
  const rollout = statefulSetRollout(set)
  if (!isUnobserved(set.metadata, status) && desired === 0) return scaledToZero(replicas)
  if (!rollout.done || readyReplicas < desired) return verdict('Progressing', rollout.message)
  if (replicas > desired) return scalingDown(replicas - desired)
  const isPartitioned = spec.updateStrategy?.rollingUpdate?.partition !== undefined
  const isRolling = spec.updateStrategy?.type !== 'OnDelete' && !isPartitioned
  if (isRolling && currentReplicas < desired) {
    return verdict(
      'Progressing',
      `${currentReplicas} of ${desired} pods are of the current revision`,
    )
  }
  return verdict('Healthy', rollout.message)
}

export function daemonSetFacts(set: KubernetesDaemonSet): WorkloadFacts {
  const { metadata, spec, status = {} } = set
  return factsOf('DaemonSet', metadata, daemonSetVerdict(set), {
    replicas: {
      desired: status.desiredNumberScheduled ?? 0,
      updated: status.updatedNumberScheduled ?? 0,
      ready: status.numberReady ?? 0,
      available: status.numberAvailable ?? 0,
      unavailable: status.numberUnavailable ?? 0,
    },
    images: imagesOf(spec.template.spec?.containers ?? []),
  })
}

function daemonSetVerdict(set: KubernetesDaemonSet): Verdict {
  const { metadata, spec, status = {} } = set
  const { desiredNumberScheduled: desired, currentNumberScheduled: current = 0 } = status
  const { numberReady: ready = 0, numberAvailable: available = 0 } = status
  const rollout = daemonSetRollout(set)
  if (isUnobserved(metadata, status) || desired === undefined) {
    return verdict('Progressing', rollout.message)
  }
  if (desired === 0) return verdict('Idle', 'No node is meant to run it', 'NoNode')
  if (current < desired) {
    return verdict('Progressing', `${current} of ${desired} nodes have a pod`, 'TooFewNodes')
  }
  if (ready < desired || available < desired) {
    const served = Math.min(ready, available)
    return verdict('Progressing', `${served} of ${desired} nodes have a pod that is ready`)
  }
  if (spec.updateStrategy?.type === 'OnDelete' && !rollout.done) {
    return verdict('Healthy', `${ready} pods are ready; updates wait for deletion`)
  }
  return verdict(rollout.done ? 'Healthy' : 'Progressing', rollout.message)
}

const scaledToZero = (left: number): Verdict =>
  left === 0
    ? verdict('Idle', 'It is scaled to zero', 'ScaledToZero')
    : verdict('Progressing', `${left} pods are left to stop`, 'ScalingToZero')

const scalingDown = (left: number): Verdict =>
  verdict('Progressing', `${left} pods are left to stop`, 'ScalingDown')
