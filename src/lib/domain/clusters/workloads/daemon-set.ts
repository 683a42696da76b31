import type { KubernetesDaemonSet } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import type { RolloutStatus } from '../rollout-status.ts'
import { factsOf, isUnobserved, verdict, type Verdict, type WorkloadFacts } from './workload.ts'

export function daemonSetFacts(set: KubernetesDaemonSet): WorkloadFacts {
  const { metadata, spec, status = {} } = set
  return factsOf('DaemonSet', metadata, ownVerdict(set), {
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

function ownVerdict(set: KubernetesDaemonSet): Verdict {
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

/** The exact output of `kubectl rollout status`: `DaemonSetViewer` in `k8s.io/kubectl`. It refuses other strategies than `RollingUpdate`. */
export function daemonSetRollout({ metadata, status = {} }: KubernetesDaemonSet): RolloutStatus {
  const { desiredNumberScheduled: desired = 0, updatedNumberScheduled: updated = 0 } = status
  const { numberAvailable: available = 0 } = status
  const subject = `daemon set "${metadata.name}"`
  const waiting = (expected: string): RolloutStatus => ({
    done: false,
    failed: false,
    message: `Waiting for ${expected}...`,
  })
  if (isUnobserved(metadata, status)) return waiting('daemon set spec update to be observed')
  if (updated < desired) {
    return waiting(
      `${subject} rollout to finish: ${updated} out of ${desired} new pods have been updated`,
    )
  }
  if (available < desired) {
    return waiting(
      `${subject} rollout to finish: ${available} of ${desired} updated pods are available`,
    )
  }
  return { done: true, failed: false, message: `${subject} successfully rolled out` }
}
