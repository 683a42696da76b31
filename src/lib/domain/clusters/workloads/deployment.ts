import type { KubernetesDeployment } from '../../../ports/kubernetes-objects.ts'
import { podsLeft, replicasOf } from '../deployment.ts'
import { imagesOf } from '../pod-container.ts'
import { deploymentRollout } from '../rollout-status.ts'
import {
  factsOf,
  failureOf,
  holding,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

export const REVISION = 'deployment.kubernetes.io/revision'

export function deploymentFacts(deployment: KubernetesDeployment): WorkloadFacts {
  const { metadata, spec } = deployment
  return factsOf('Deployment', metadata, ownVerdict(deployment), {
    replicas: replicasOf(deployment),
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
  const rollout = deploymentRollout(deployment)
  const progressing = conditions?.find(({ type }) => type === 'Progressing')
  const { desired, available } = replicasOf(deployment)
  const left = podsLeft(deployment)

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
  if (!rollout.done || !isAvailable || available < desired) {
    return verdict('Progressing', rollout.message, null, progressing?.lastUpdateTime ?? null)
  }
  const since = holding(conditions, 'Available')?.lastTransitionTime ?? null
  return verdict('Healthy', rollout.message, null, since)
}
