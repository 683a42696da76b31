import { useState } from 'preact/hooks'
import { call } from '../../../api/call.ts'
import { whenMoved } from './when-moved.ts'
import { announce } from '../../../ui/announce.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Act, Chip } from '../../../ui/parts.tsx'
import { ActProblem } from './act-problem.tsx'
import type { EntityAct } from './acts-of.ts'
import type { OpenActProps } from './acts-props.ts'
import { type Confirmed, confirmedByMove } from './outcome-words.ts'
import { ConfirmResult } from './results.tsx'
import { useAct } from './use-act.ts'

/** The last step of a promotion: the lifecycle follows the overlay. */
export function Confirm({
  kind,
  name,
  state,
  act,
  reload,
  close,
}: OpenActProps & { readonly act: EntityAct }) {
  const [{ lifecycle: from, confirm }] = useState(state)
  const to = confirm.targetLifecycle ?? ''
  const { isBusy, problem, done, ask } = useAct(async () =>
    whenMoved<Confirmed>(
      await call('post', '/api/v1/catalog/entities/{kind}/{name}/promotion/confirm', {
        params: { kind, name },
        body: confirm.targetLifecycle === null ? {} : { targetLifecycle: confirm.targetLifecycle },
      }),
      confirmedByMove,
    ),
  )
  async function confirmNow() {
    const answer = await ask()
    if (answer?.ok !== true) return
    announce(
      answer.value.value.status === 'lifecycle_pr_open'
        ? 'A pull request for the lifecycle is open'
        : `${name} is in ${to}`,
    )
    await reload()
  }
  return (
    <Dialog title={`Confirm ${name} in ${act.environment}`} onClose={close}>
      <div>
        {done === undefined ? (
          <>
            <p>
              The overlay of {act.environment} is on the default branch. Confirming changes the
              lifecycle in the file of {name}, and nothing else:
            </p>
            <p class="act-step">
              {from !== null && <Chip of={from} />}
              <span aria-hidden="true">→</span>
              <span class="sr">becomes</span>
              <Chip of={to} />
            </p>
            {problem !== undefined && <ActProblem problem={problem} />}
          </>
        ) : (
          <ConfirmResult done={done} name={name} />
        )}
      </div>
      <footer>
        <button type="button" class="button" onClick={close}>
          {done === undefined ? 'Cancel' : 'Close'}
        </button>
        {done === undefined && (
          <Act icon="check" isPrimary isBusy={isBusy} onClick={confirmNow}>
            Confirm {act.environment}
          </Act>
        )}
      </footer>
    </Dialog>
  )
}
