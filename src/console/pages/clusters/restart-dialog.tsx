import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Deployment } from '../../api/live/events.ts'
import type { Problem } from '../../api/result.ts'
import { announce } from '../../ui/announce.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Act, ProblemNote } from '../../ui/parts.tsx'
import { counted } from '../../ui/words.ts'
import type { Place } from './place.ts'

export interface RestartDialogProps {
  readonly place: Place
  readonly deployment: Deployment
  /** The cluster accepted it, as this generation of the deployment. */
  readonly onAccepted: (generation: number) => void
  readonly onClose: () => void
}

/** Asks, and names what will be restarted. */
export function RestartDialog({ place, deployment, onAccepted, onClose }: RestartDialogProps) {
  const { name, replicas, strategy } = deployment
  const problem = useSignal<Problem | undefined>(undefined)
  const isBusy = useSignal(false)
  const pods = counted(replicas.desired, 'pod')

  async function restart() {
    isBusy.value = true
    const answer = await call(
      'post',
      '/api/v1/clusters/{clusterId}/namespaces/{namespace}/deployments/{name}/restart',
      { params: { clusterId: place.cluster, namespace: place.namespace, name } },
    )
    isBusy.value = false
    if (!answer.ok) {
      problem.value = answer.problem
      return
    }
    announce(`The cluster accepted the restart of ${name}`)
    onAccepted(answer.value.value.generation)
    onClose()
  }

  return (
    <Dialog title={`Restart ${name}?`} onClose={onClose}>
      <div>
        <p>
          {strategy === 'Recreate'
            ? `Kubernetes stops its ${pods}, and starts new ones afterwards. Nothing answers in between.`
            : `Kubernetes replaces its ${pods} step by step, as kubectl rollout restart does.`}
        </p>
        <dl class="restart-facts">
          <dt>Deployment</dt>
          <dd>{name}</dd>
          <dt>Namespace</dt>
          <dd>{place.namespace}</dd>
          <dt>Cluster</dt>
          <dd>{place.cluster}</dd>
        </dl>
        {problem.value !== undefined && <ProblemNote problem={problem.value} />}
      </div>
      <footer>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <Act isPrimary icon="arrows" isBusy={isBusy.value} onClick={restart}>
          Restart
        </Act>
      </footer>
    </Dialog>
  )
}
