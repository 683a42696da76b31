import { useEffect, useState } from 'preact/hooks'
import { query, setQuery } from '../../router.ts'
import { type LoggedPod, logChoice, logUrl } from './log-address.ts'
import { LogControls } from './log-controls.tsx'
import { LogView } from './log-view.tsx'
import type { Place } from './place.ts'
import { runOf } from './use-again.ts'

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
  const { container, isFollowed } = choice
  return (
    <LogView
      name={`Log of ${container}`}
      url={container === '' ? null : logUrl(place, pod.name, choice)}
      isFollowed={isFollowed}
      run={isFollowed ? runOf(pod, container) : null}
    >
      <LogControls place={place} pod={pod} choice={choice} />
    </LogView>
  )
}
