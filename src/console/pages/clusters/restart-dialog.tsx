import { call } from '../../api/call.ts'
import { announce } from '../../ui/announce.ts'
import { Question } from '../../ui/question.tsx'
import { counted } from '../../ui/words.ts'
import type { Place } from './place.ts'
import type { RestartTarget } from './rollout.ts'

export interface RestartDialogProps {
  readonly place: Place
  readonly target: RestartTarget
  /** All pods end before new ones start. */
  readonly isRecreated: boolean
  /** The cluster accepted it, as this generation of the workload. */
  readonly onAccepted: (generation: number) => void
  readonly onClose: () => void
}

/** Asks, and names what will be restarted. */
export function RestartDialog(props: RestartDialogProps) {
  const { place, target, isRecreated, onAccepted, onClose } = props
  const { kind, name } = target
  const pods = counted(target.pods, 'pod')

  async function restart() {
    const answer = await call(
      'post',
      '/api/v1/clusters/{clusterId}/namespaces/{namespace}/workloads/{kind}/{name}/restart',
      { params: { clusterId: place.cluster, namespace: place.namespace, kind, name } },
    )
    if (!answer.ok) return answer.problem
    announce(`The cluster accepted the restart of ${name}`)
    onAccepted(answer.value.value.generation)
    return undefined
  }

  return (
    <Question
      title={`Restart ${name}?`}
      act="Restart"
      icon="arrows"
      onAct={restart}
      onClose={onClose}
    >
      <p>
        {isRecreated
          ? `Kubernetes stops its ${pods}, and starts new ones afterwards. Nothing answers in between.`
          : `Kubernetes replaces its ${pods} step by step, as kubectl rollout restart does.`}
      </p>
      <dl class="pairs">
        <dt>Name</dt>
        <dd>{name}</dd>
        <dt>Namespace</dt>
        <dd>{place.namespace}</dd>
        <dt>Cluster</dt>
        <dd>{place.cluster}</dd>
      </dl>
    </Question>
  )
}
