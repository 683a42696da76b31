import { Act } from '../../../ui/act.tsx'
import { announce } from '../../../ui/announce.ts'
import { Chip } from '../../../ui/card.tsx'
import { Question } from '../../../ui/question.tsx'
import {
  type EntityAct,
  labelOf,
  type PromotionState,
  refusalOf,
  type ActsProps,
  type OpenActProps,
} from './acts-of.ts'
import { confirm } from './move.ts'
import { finishConfirmation, finishRefused } from './outcome-line.tsx'

interface ConfirmProps extends ActsProps {
  readonly state: PromotionState
  readonly act: EntityAct
}

/** Answers with the problem, when it failed. */
async function confirmNow({ kind, name, state, act }: ConfirmProps) {
  const { lifecycle: from, confirm: asked } = state
  const answer = await confirm({ kind, name }, asked.targetLifecycle)
  if (!answer.ok) return answer.problem
  finishConfirmation(answer.value, { name, environment: act.environment ?? '', from })
  announce(
    answer.value.status === 'lifecycle_pr_open'
      ? 'A pull request for the lifecycle is open'
      : `${name} is in ${asked.targetLifecycle}`,
  )
  return undefined
}

/** One click: it changes one word in one file, and the line that follows says how to take it back. */
export function ConfirmButton(props: ConfirmProps & { readonly isPrimary: boolean }) {
  const { act, isPrimary } = props
  return (
    <Act
      icon="check"
      look={isPrimary ? 'primary' : undefined}
      reason={refusalOf(act)}
      shortcut={isPrimary ? 'p' : undefined}
      onClick={async () => {
        const problem = await confirmNow(props)
        if (problem !== undefined) finishRefused(problem)
      }}
    >
      {labelOf(act)}
    </Act>
  )
}

/** The same for an address, which must do nothing by itself. */
export function Confirm(props: OpenActProps & { readonly act: EntityAct }) {
  const { name, state, act, close } = props
  return (
    <Question
      title={`Confirm ${name} in ${act.environment}`}
      icon="check"
      act={`Confirm ${act.environment}`}
      onAct={() => confirmNow(props)}
      onClose={close}
    >
      <p class="act-step">
        {state.lifecycle !== null && <Chip of={state.lifecycle} />}
        <span aria-hidden="true">→</span>
        <span class="sr">becomes</span>
        <Chip of={state.confirm.targetLifecycle ?? ''} />
      </p>
    </Question>
  )
}
