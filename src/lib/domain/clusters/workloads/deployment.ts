import type { KubernetesDeployment } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import { rolloutStatus } from '../rollout-status.ts'
import {
  factsOf,
  failureOf,
  holding,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
/** The API server's default for `spec.replicas`. */
const REPLICAS_DEFAULT = 1

export function deploymentFacts(deployment: KubernetesDeployment): WorkloadFacts {
  const { metadata, spec, status = {} } = deployment
  return factsOf('Deployment', metadata, ownVerdict(deployment), {
    replicas: {
      desired: spec.replicas ?? REPLICAS_DEFAULT,
      updated: status.updatedReplicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
      unavailable: status.unavailableReplicas ?? 0,
    },
    images: imagesOf(spec.template.spec?.containers ?? []),
    revision: metadata.annotations?.[REVISION] ?? null,
    startupMs: null,
    suspended: spec.paused ?? false,
  })
}

/** Cases and their reasons: `docs/decisions/health.md`. */
function ownVerdict(deployment: KubernetesDeployment): Verdict {
  const { spec, status = {} } = deployment
  const { conditions } = status
  const rollout = rolloutStatus(deployment)
  const progressing = conditions?.find(({ type }) => type === 'Progressing')
  const desired = spec.replicas ?? REPLICAS_DEFAULT
  const left = (status.replicas ?? 0) + (status.terminatingReplicas ?? 0)

  if (spec.paused === true) return verdict('Suspended', 'Its rollout is paused', 'Paused')
  const failed = holding(conditions, 'ReplicaFailure')
  if (failed !== undefined) return failureOf(failed)
  if (rollout.failed) {
    const since = progressing?.lastTransitionTime ?? null
    return verdict('Degraded', rollout.message, 'ProgressDeadlineExceeded', since)
  }
  if (desired === 0 && rollout.done) {
    return left === 0
      ? verdict('Idle', 'It is scaled to zero', 'ScaledToZero')
      : verdict('Progressing', `${left} pods are left to stop`, 'ScalingToZero')
  }
  const isAvailable = conditions?.find(({ type }) => type === 'Available')?.status !== 'False'
  if (!rollout.done || !isAvailable || (status.availableReplicas ?? 0) < desired) {
    return verdict('Progressing', rollout.message, null, progressing?.lastUpdateTime ?? null)
  }
  const since = holding(conditions, 'Available')?.lastTransitionTime ?? null
  return verdict('Healthy', rollout.message, null, since)
}
