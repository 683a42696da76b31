import { useEffect, useRef } from 'preact/hooks'
import { query, setQuery } from '../../../router.ts'
import type { ActsProps } from './acts-props.ts'
import { OpenAct } from './open-act.tsx'

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
