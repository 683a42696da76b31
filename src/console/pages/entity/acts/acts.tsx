import { query, setQuery } from '../../../router.ts'
import type { ActsProps } from './acts-props.ts'
import { OpenAct } from './open-act.tsx'

const close = () =>
  setQuery({ do: undefined, environment: undefined, to: undefined }, { replace: true })

/** The dialog that `?do=` names. */
export function Acts({ state, ...props }: ActsProps) {
  const what = query.value.get('do')
  const environment = query.value.get('environment')
  const to = query.value.get('to')
  if (what === null || state === undefined) return null
  return (
    <OpenAct
      key={JSON.stringify([what, environment, to])}
      {...props}
      state={state}
      asked={{ do: what, environment, to }}
      close={close}
    />
  )
}
