import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { Deployment } from '../../api/live/events.ts'
import { Act } from '../../ui/act.tsx'
import { announce } from '../../ui/announce.ts'
import { Question } from '../../ui/question.tsx'
import { counted } from '../../ui/words.ts'
import type { NamespaceRights, Place } from './place.ts'
import { restartRefusal, type RestartTarget, rolloutOf, rolloutWords } from './rollout.ts'

export interface RestartButtonProps {
  readonly place: Place
  /** Undefined until they are known. */
  readonly rights: NamespaceRights | undefined
  readonly target: RestartTarget
  /** As it is now: the button follows the rollout of a deployment. */
  readonly deployment?: Deployment | undefined
}

/** Restarts a workload after a question, says how far its rollout is, and announces its end. */
export function RestartButton({ place, rights, target, deployment }: RestartButtonProps) {
  const isAsking = useSignal(false)
  /** The restart that is under way. */
  const generation = useSignal<number | null>(null)
  const { value: restarted } = generation
  const isFollowed = deployment !== undefined && restarted !== null
  const rollout = isFollowed ? rolloutOf(deployment, restarted) : null
  const words = rollout === null ? null : rolloutWords(rollout)
  const isOver = rollout?.kind === 'done' || rollout?.kind === 'failed'
  useEffect(() => {
    if (!isOver) return
    announce(`${target.name}: ${words}`)
    generation.value = null
  }, [isOver])
  return (
    <div class="restart">
      <Act
        icon="arrows"
        reason={restartRefusal(target, rights)}
        isBusy={rollout !== null}
        onClick={() => (isAsking.value = true)}
      >
        {words ?? 'Restart'}
        <span class="sr"> {target.name}</span>
      </Act>
      {isAsking.value && (
        <RestartDialog
          place={place}
          target={target}
          isRecreated={deployment?.strategy === 'Recreate'}
          onAccepted={(accepted) => (generation.value = accepted)}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  )
}

interface RestartDialogProps {
  readonly place: Place
  readonly target: RestartTarget
  /** All pods end before new ones start. */
  readonly isRecreated: boolean
  /** The cluster accepted it, as this generation of the workload. */
  readonly onAccepted: (generation: number) => void
  readonly onClose: () => void
}

/** Asks, and names what will be restarted. */
function RestartDialog(props: RestartDialogProps) {
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
