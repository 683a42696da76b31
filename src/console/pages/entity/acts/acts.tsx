import { useEffect, useRef, useState } from 'preact/hooks'
import { query, setQuery } from '../../../router.ts'
import { Act } from '../../../ui/act.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { type ActsProps, askedAct, type OpenActProps } from './acts-of.ts'
import { Confirm } from './confirm.tsx'
import { Deprecate } from './deprecate.tsx'
import { formPlanOf } from './form-plan.ts'
import { Propose } from './propose.tsx'
import { Rollback } from './rollback.tsx'

/**
 * Closes the dialog. One that was opened on the page is a step of the history, which is taken back; otherwise Back would seem to do
 * nothing afterwards. One that the page came with has no such step.
 */
function useClose(isOpen: boolean): () => void {
  const hasStep = useRef(!isOpen)
  const isClosing = useRef(false)
  useEffect(() => {
    isClosing.current = false
    if (!isOpen) hasStep.current = true
  }, [isOpen])
  return () => {
    // A second click is no second step back.
    if (isClosing.current) return
    isClosing.current = true
    if (hasStep.current) history.back()
    else
      setQuery(
        { do: undefined, environment: undefined, to: undefined, version: undefined },
        { replace: true },
      )
  }
}

/** The dialog that `?do=` names. */
export function Acts({ state, ...props }: ActsProps) {
  const what = query.value.get('do')
  const environment = query.value.get('environment')
  const to = query.value.get('to')
  const version = query.value.get('version')
  const close = useClose(what !== null)
  if (what === null || state === undefined) return null
  return (
    <OpenAct
      key={JSON.stringify([what, environment, to, version])}
      {...props}
      state={state}
      asked={{ do: what, environment, to, version }}
      close={close}
    />
  )
}

/** An act stays what it was when its dialog opened: the state behind it changes, not least by the act. */
function OpenAct(props: OpenActProps) {
  const [{ asked, plan }] = useState(() => opened(props))
  if (asked.kind === 'refused') {
    return (
      <Dialog title={asked.title} onClose={props.close}>
        <div>
          <p>{asked.why}</p>
        </div>
        <footer>
          <Act onClick={props.close}>Close</Act>
        </footer>
      </Dialog>
    )
  }
  const { act } = asked
  if (act.do === 'confirm') return <Confirm {...props} act={act} />
  // An act on the whole entity is its deprecation, or a change of that.
  if (plan === undefined) return <Deprecate {...props} />
  return act.do === 'rollback' ? (
    <Rollback {...props} environment={plan.environment} />
  ) : (
    <Propose {...props} plan={plan} />
  )
}

function opened({ state, asked: wanted }: OpenActProps) {
  const asked = askedAct(state, wanted)
  const plan = asked.kind === 'act' ? formPlanOf(state, asked.act, wanted.version) : undefined
  return { asked, plan }
}
