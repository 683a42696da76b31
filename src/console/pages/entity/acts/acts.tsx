import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { query, setQuery } from '../../../router.ts'
import { announce } from '../../../ui/announce.ts'
import type { PromotionState } from './acts-of.ts'

export interface ActsProps {
  readonly kind: string
  readonly name: string
  /** Nothing is shown before it is there. */
  readonly state: PromotionState | undefined
  /** Reads the state again. */
  readonly reload: () => unknown
}

export interface OpenActProps extends ActsProps {
  readonly state: PromotionState
  readonly asked: {
    readonly do: string
    readonly environment: string | null
    /** Commit of the row of the history to go back to. */
    readonly to: string | null
  }
  readonly close: () => void
}

const loaded = signal<ComponentType<OpenActProps> | undefined>(undefined)

async function load() {
  try {
    const { OpenAct } = await import('./open-act.tsx')
    loaded.value = OpenAct
  } catch {
    announce('This could not be loaded; perhaps Portico was updated. Load the page again.')
  }
}

const close = () =>
  setQuery({ do: undefined, environment: undefined, to: undefined }, { replace: true })

/** The dialog that `?do=` names. Its code is fetched with the first one. */
export function Acts({ state, ...props }: ActsProps) {
  const what = query.value.get('do')
  const environment = query.value.get('environment')
  const to = query.value.get('to')
  const isAsked = what !== null
  useEffect(() => {
    if (isAsked && loaded.value === undefined) void load()
  }, [isAsked])
  const OpenAct = loaded.value
  if (what === null || state === undefined || OpenAct === undefined) return null
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
