import type { KubernetesDaemonSet } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import { daemonSetRollout, isUnobserved } from '../rollout-status.ts'
import { factsOf, verdict, type Verdict, type WorkloadFacts } from './workload.ts'

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
