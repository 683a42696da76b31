import type {
  KubernetesDaemonSet,
  KubernetesDeployment,
  KubernetesStatefulSet,
} from '../../ports/kubernetes-objects.ts'

/** The exact output of `kubectl rollout status`, by the status viewers of `k8s.io/kubectl`. */
export type RolloutStatus =
  | { readonly done: true; readonly failed: false; readonly message: string }
  | { readonly done: false; readonly failed: boolean; readonly message: string }

const done = (message: string): RolloutStatus => ({ done: true, failed: false, message })
const waiting = (message: string): RolloutStatus => ({ done: false, failed: false, message })

/** Whether the controller has yet to see the last change of the object. */
export const isUnobserved = (
  { generation = 0 }: { readonly generation?: number },
  { observedGeneration = 0 }: { readonly observedGeneration?: number },
): boolean => generation > observedGeneration

/** `DeploymentStatusViewer`, which ignores a pause. */
export function deploymentRollout({
  metadata,
  spec,
  status = {},
}: KubernetesDeployment): RolloutStatus {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status
  const subject = `deployment "${metadata.name}"`
  const unfinished = (what: string) =>
    waiting(`Waiting for ${subject} rollout to finish: ${what}...`)

  if (isUnobserved(metadata, status)) {
    return waiting('Waiting for deployment spec update to be observed...')
  }
  const progressing = conditions.find(({ type }) => type === 'Progressing')
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    return { done: false, failed: true, message: `${subject} exceeded its progress deadline` }
  }
  if (spec.replicas !== undefined && updatedReplicas < spec.replicas) {
    return unfinished(`${updatedReplicas} out of ${spec.replicas} new replicas have been updated`)
  }
  if (replicas > updatedReplicas) {
    return unfinished(`${replicas - updatedReplicas} old replicas are pending termination`)
  }
  if (availableReplicas < updatedReplicas) {
    return unfinished(`${availableReplicas} of ${updatedReplicas} updated replicas are available`)
  }
  return done(`${subject} successfully rolled out`)
}

/** `StatefulSetViewer`, which refuses other strategies than `RollingUpdate`. */
export function statefulSetRollout({
  metadata,
  spec,
  status = {},
}: KubernetesStatefulSet): RolloutStatus {
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0 } = status
  const { type, rollingUpdate } = spec.updateStrategy ?? {}

  if (observedGeneration === 0 || isUnobserved(metadata, status)) {
    return waiting('Waiting for statefulset spec update to be observed...')
  }
  if (spec.replicas !== undefined && readyReplicas < spec.replicas) {
    return waiting(`Waiting for ${spec.replicas - readyReplicas} pods to be ready...`)
  }
  if (type === 'OnDelete') return done(`${readyReplicas} pods are ready; updates wait for deletion`)
  if (type === 'RollingUpdate' && rollingUpdate !== undefined) {
    const wanted = (spec.replicas ?? 0) - (rollingUpdate.partition ?? 0)
    return rollingUpdate.partition !== undefined && updatedReplicas < wanted
      ? waiting(
          `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted} new pods have been updated...`,
        )
      : done(`partitioned roll out complete: ${updatedReplicas} new pods have been updated...`)
  }
  const { currentReplicas = 0, currentRevision = '', updateRevision = '' } = status
  return currentRevision === updateRevision
    ? done(
        `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...`,
      )
    : waiting(
        `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...`,
      )
}

/** `DaemonSetViewer`, which refuses other strategies than `RollingUpdate`. */
export function daemonSetRollout({ metadata, status = {} }: KubernetesDaemonSet): RolloutStatus {
  const { desiredNumberScheduled: desired = 0, updatedNumberScheduled: updated = 0 } = status
  const { numberAvailable: available = 0 } = status
  const subject = `daemon set "${metadata.name}"`
  const unfinished = (what: string) =>
    waiting(`Waiting for ${subject} rollout to finish: ${what}...`)
  if (isUnobserved(metadata, status)) {
    return waiting('Waiting for daemon set spec update to be observed...')
  }
  if (updated < desired) {
    return unfinished(`${updated} out of ${desired} new pods have been updated`)
  }
  if (available < desired) {
    return unfinished(`${available} of ${desired} updated pods are available`)
  }
  return done(`${subject} successfully rolled out`)
}
