import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Deployment } from '../../api/live/events.ts'
import { announce } from '../../ui/announce.ts'
import { Act } from '../../ui/parts.tsx'
import type { NamespaceRights, Place } from './place.ts'
import { RestartDialog } from './restart-dialog.tsx'
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
        onClick={() => {
          isAsking.value = true
        }}
      >
        {words ?? 'Restart'}
        <span class="sr"> {target.name}</span>
      </Act>
      {isAsking.value && (
        <RestartDialog
          place={place}
          target={target}
          isRecreated={deployment?.strategy === 'Recreate'}
          onAccepted={(accepted) => {
            generation.value = accepted
          }}
          onClose={() => {
            isAsking.value = false
          }}
        />
      )}
    </div>
  )
}
