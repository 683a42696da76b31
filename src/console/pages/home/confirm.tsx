import { call } from '../../api/call.ts'
import { whenMoved } from '../entity/acts/when-moved.ts'
import { refresh } from '../../api/resource.ts'
import { announce } from '../../ui/announce.ts'
import { Question } from '../../ui/question.tsx'
import { type Confirmed, confirmedByMove } from '../entity/acts/outcome-words.ts'
import { confirmedWords, type Move, nameOf, placeOf } from './moves.ts'

interface ConfirmProps {
  readonly move: Move
  readonly onClose: () => void
}

/** Asks before it confirms: the confirmation is a commit. */
export function Confirm({ move, onClose }: ConfirmProps) {
  const { entity, environment, targetLifecycle } = move
  const name = nameOf(move)
  const place = placeOf(move)

  async function confirm() {
    if (entity === null) return undefined
    const asked = await call('post', '/api/v1/catalog/entities/{kind}/{name}/promotion/confirm', {
      params: { kind: entity.kind, name: entity.name },
      // A deprecation has nothing to confirm.
      body: targetLifecycle === null || targetLifecycle === 'deprecated' ? {} : { targetLifecycle },
    })
    const answer = await whenMoved<Confirmed>(asked, confirmedByMove)
    refresh('/api/v1/promotions')
    if (!answer.ok) return answer.problem
    announce(confirmedWords(name, answer.value.value))
    return undefined
  }

  return (
    <Question
      title={`Confirm ${name} in ${place}`}
      act={`Confirm ${place}`}
      onAct={confirm}
      onClose={onClose}
    >
      <p>
        It is merged, and in git for {environment}. Confirming sets the lifecycle of{' '}
        <bdi>{name}</bdi> to {targetLifecycle}.
      </p>
    </Question>
  )
}
