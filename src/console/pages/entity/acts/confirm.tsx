import { call } from '../../../api/call.ts'
import { announce } from '../../../ui/announce.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Act, Chip } from '../../../ui/parts.tsx'
import { ActProblem } from './act-problem.tsx'
import { type EntityAct, labelOf, type PromotionState, refusalOf } from './acts-of.ts'
import type { ActsProps, OpenActProps } from './acts-props.ts'
import { finishConfirmation, finishRefused } from './outcome-line.tsx'
import { type Confirmed, confirmedByMove } from './outcome-words.ts'
import { useAct } from './use-act.ts'
import { whenMoved } from './when-moved.ts'

interface ConfirmProps extends ActsProps {
  readonly state: PromotionState
  readonly act: EntityAct
}

/** The last step of a promotion: the lifecycle follows the overlay. */
function useConfirmation({ kind, name, state, act, reload }: ConfirmProps) {
  const { lifecycle: from, confirm } = state
  const { ask, ...asked } = useAct(async () =>
    whenMoved<Confirmed>(
      await call('post', '/api/v1/catalog/entities/{kind}/{name}/promotion/confirm', {
        params: { kind, name },
        body: confirm.targetLifecycle === null ? {} : { targetLifecycle: confirm.targetLifecycle },
      }),
      confirmedByMove,
    ),
  )
  const confirmNow = async () => {
    const answer = await ask()
    if (answer === undefined) return undefined
    if (!answer.ok) return answer
    const done = answer.value.value
    finishConfirmation(done, { name, environment: act.environment ?? '', from })
    announce(
      done.status === 'lifecycle_pr_open'
        ? 'A pull request for the lifecycle is open'
        : `${name} is in ${confirm.targetLifecycle}`,
    )
    await reload()
    return answer
  }
  return { ...asked, confirmNow }
}

/** One click: it changes one word in one file, and the line that follows says how to take it back. */
export function ConfirmButton(props: ConfirmProps & { readonly isPrimary: boolean }) {
  const { act, isPrimary } = props
  const { isBusy, confirmNow } = useConfirmation(props)
  return (
    <Act
      icon="check"
      isPrimary={isPrimary}
      isBusy={isBusy}
      reason={refusalOf(act)}
      shortcut={isPrimary ? 'p' : undefined}
      onClick={async () => {
        const answer = await confirmNow()
        if (answer?.ok === false) finishRefused(answer.problem)
      }}
    >
      {labelOf(act)}
    </Act>
  )
}

/** The same for an address, which must do nothing by itself. */
export function Confirm(props: OpenActProps & { readonly act: EntityAct }) {
  const { name, state, act, close } = props
  const { isBusy, problem, confirmNow } = useConfirmation(props)
  return (
    <Dialog title={`Confirm ${name} in ${act.environment}`} onClose={close}>
      <div>
        <p class="act-step">
          {state.lifecycle !== null && <Chip of={state.lifecycle} />}
          <span aria-hidden="true">→</span>
          <span class="sr">becomes</span>
          <Chip of={state.confirm.targetLifecycle ?? ''} />
        </p>
        {problem !== undefined && <ActProblem problem={problem} />}
      </div>
      <footer>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <Act
          icon="check"
          isPrimary
          isBusy={isBusy}
          onClick={async () => {
            const answer = await confirmNow()
            if (answer?.ok === true) close()
          }}
        >
          Confirm {act.environment}
        </Act>
      </footer>
    </Dialog>
  )
}
