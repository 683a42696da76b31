import type { KubernetesDeployment } from '../../ports/kubernetes-objects.ts'

export type RolloutStatus =
  | { readonly done: true; readonly failed: false; readonly message: string }
  | { readonly done: false; readonly failed: boolean; readonly message: string }

/** The exact output of `kubectl rollout status`: `DeploymentStatusViewer` in `k8s.io/kubectl`. It ignores a pause. */
export function rolloutStatus({
  metadata,
  spec,
  status = {},
}: KubernetesDeployment): RolloutStatus {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status
  const subject = `deployment "${metadata.name}"`
  const waiting = (expected: string): RolloutStatus => ({
    done: false,
    failed: false,
    message: `Waiting for ${expected}...`,
  })

  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) {
    return waiting('deployment spec update to be observed')
  }
  const progressing = conditions.find(({ type }) => type === 'Progressing')
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    return { done: false, failed: true, message: `${subject} exceeded its progress deadline` }
  }
  const unfinished = `${subject} rollout to finish:`
  if (spec.replicas !== undefined && updatedReplicas < spec.replicas) {
    return waiting(
      `${unfinished} ${updatedReplicas} out of ${spec.replicas} new replicas have been updated`,
    )
  }
  if (replicas > updatedReplicas) {
    return waiting(
      `${unfinished} ${replicas - updatedReplicas} old replicas are pending termination`,
    )
  }
  if (availableReplicas < updatedReplicas) {
    return waiting(
      `${unfinished} ${availableReplicas} of ${updatedReplicas} updated replicas are available`,
    )
  }
  return { done: true, failed: false, message: `${subject} successfully rolled out` }
}
