import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Deployment } from '../../api/live/events.ts'
import { announce } from '../../ui/announce.ts'
import { Act } from '../../ui/parts.tsx'
import type { NamespaceRights, Place } from './place.ts'
import { RestartDialog } from './restart-dialog.tsx'
import { restartRefusal, rolloutOf, rolloutWords } from './rollout.ts'

export interface RestartButtonProps {
  readonly place: Place
  /** Undefined until they are known. */
  readonly rights: NamespaceRights | undefined
  /** As it is now: the button follows the rollout. */
  readonly deployment: Deployment
}

/** Restarts a deployment after a question, says how far the rollout is, and announces its end. */
export function RestartButton({ place, rights, deployment }: RestartButtonProps) {
  const isAsking = useSignal(false)
  /** The restart that is under way. */
  const generation = useSignal<number | null>(null)
  const rollout = generation.value === null ? null : rolloutOf(deployment, generation.value)
  const words = rollout === null ? null : rolloutWords(rollout)
  const isOver = rollout?.kind === 'done' || rollout?.kind === 'failed'
  useEffect(() => {
    if (!isOver) return
    announce(`${deployment.name}: ${words}`)
    generation.value = null
  }, [isOver])
  return (
    <div class="restart">
      <Act
        icon="arrows"
        reason={restartRefusal(deployment, rights)}
        isBusy={rollout !== null}
        onClick={() => {
          isAsking.value = true
        }}
      >
        {words ?? 'Restart'}
        <span class="sr"> {deployment.name}</span>
      </Act>
      {isAsking.value && (
        <RestartDialog
          place={place}
          deployment={deployment}
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
