import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { announce } from '../../ui/announce.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Act, ProblemNote } from '../../ui/parts.tsx'
import { confirmedWords, type Move, nameOf } from './moves.ts'

interface ConfirmProps {
  readonly move: Move
  readonly onClose: () => void
}

/** Asks before it confirms: the confirmation is a commit. */
export function Confirm({ move, onClose }: ConfirmProps) {
  const isBusy = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)
  const { entity, environment, targetLifecycle } = move
  const name = nameOf(move)

  async function confirm() {
    if (entity === null) return
    isBusy.value = true
    const answer = await call('post', '/api/v1/catalog/entities/{kind}/{name}/promotion/confirm', {
      params: { kind: entity.kind, name: entity.name },
      // A deprecation has nothing to confirm.
      body: targetLifecycle === null || targetLifecycle === 'deprecated' ? {} : { targetLifecycle },
    })
    isBusy.value = false
    refresh('/api/v1/promotions')
    if (!answer.ok) {
      problem.value = answer.problem
      return
    }
    announce(confirmedWords(name, answer.value.value))
    onClose()
  }

  return (
    <Dialog title={`Confirm ${name}`} onClose={onClose}>
      <div>
        <p>
          The overlay for {environment} is on the default branch. Confirming sets the lifecycle of{' '}
          <bdi>{name}</bdi> to {targetLifecycle}, by a commit to its catalog file.
        </p>
        {problem.value !== undefined && <ProblemNote problem={problem.value} />}
      </div>
      <footer>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <Act isPrimary isBusy={isBusy.value} onClick={confirm}>
          Confirm
        </Act>
      </footer>
    </Dialog>
  )
}
