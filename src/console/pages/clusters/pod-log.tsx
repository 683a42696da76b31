import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { query, setQuery } from '../../router.ts'
import { Log } from '../../ui/log.tsx'
import { ProblemNote } from '../../ui/parts.tsx'
import { type LoggedPod, logChoice, logUrl } from './log-address.ts'
import { LogControls } from './log-controls.tsx'
import type { Place } from './place.ts'
import { runOf, useAgain } from './use-again.ts'
import { type LogState, useLog } from './use-log.ts'

export interface PodLogProps {
  readonly place: Place
  readonly pod: LoggedPod
}

/** The log of a container. The address says which. */
export function PodLog({ place, pod }: PodLogProps) {
  const [openedAt] = useState(() => Date.now())
  const choice = logChoice(query.value, pod, openedAt)
  useEffect(() => {
    // The container starts again while its crash is read: the address keeps the run.
    if (choice.isPrevious && !query.peek().has('previous')) {
      setQuery({ previous: 'true' }, { replace: true })
    }
  }, [])
  const reading = useLog(choice.container === '' ? null : logUrl(place, pod.name, choice))
  const isAtEnd = useSignal(true)
  useAgain(reading, isAtEnd.value, choice.isFollowed ? runOf(pod, choice.container) : null)
  const { state, lines, again } = reading
  return (
    <>
      {state.kind === 'refused' && <ProblemNote problem={state.problem} retry={again} />}
      <Log
        name={`Log of ${choice.container}`}
        lines={lines}
        isAtEnd={isAtEnd}
        chosen={query.value.get('line') ?? undefined}
        onChoose={(line) => {
          setQuery({ line }, { replace: true })
          return location.href
        }}
        foot={<Foot state={state} isFollowed={choice.isFollowed} again={again} />}
      >
        <LogControls place={place} pod={pod} choice={choice} />
      </Log>
    </>
  )
}

interface FootProps {
  readonly state: LogState
  readonly isFollowed: boolean
  readonly again: () => void
}

const Foot = ({ state, isFollowed, again }: FootProps) => (
  <>
    <span role="status">{stateWords(state, isFollowed)}</span>
    {(state.kind === 'ended' || state.kind === 'lost' || state.kind === 'released') && (
      <button type="button" class="button" onClick={again}>
        {isFollowed ? 'Follow again' : 'Read again'}
      </button>
    )}
  </>
)

function stateWords(state: LogState, isFollowed: boolean): string {
  switch (state.kind) {
    case 'opening':
      return isFollowed ? 'Waiting for its first line…' : 'Loading the log…'
    case 'reading':
      return isFollowed ? 'New lines appear as they are written.' : 'Loading the log…'
    case 'ended':
      return isFollowed
        ? 'The container has ended, or your access to it.'
        : 'This is its end so far.'
    case 'lost':
      return 'The connection broke; later lines are missing.'
    case 'released':
      return 'Not followed while the tab was hidden.'
    case 'refused':
      return 'The log cannot be read.'
  }
}
