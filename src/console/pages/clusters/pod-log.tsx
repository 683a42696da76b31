import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Pod } from '../../api/live/events.ts'
import { liveState } from '../../api/live/tabs.ts'
import { query, setQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { Log } from '../../ui/log.tsx'
import { ProblemNote } from '../../ui/parts.tsx'
import { downloadUrl, logChoice, type LogChoice, logUrl, TAILS } from './log-address.ts'
import type { Place } from './place.ts'
import { type LogReading, type LogState, useLog } from './use-log.ts'

export interface PodLogProps {
  readonly place: Place
  readonly pod: Pick<Pod, 'name' | 'containers'>
}

/** The log of a container. The address says which. */
export function PodLog({ place, pod }: PodLogProps) {
  const choice = logChoice(query.value, pod.containers)
  const reading = useLog(choice.container === '' ? null : logUrl(place, pod.name, choice))
  const isAtEnd = useSignal(true)
  useReturn(reading, isAtEnd.value)
  useReconnect(reading, isAtEnd.value)
  useNextRun(reading, choice.isFollowed && isAtEnd.value ? runOf(pod, choice) : null)
  const { state, lines, again } = reading
  return (
    <>
      {state.kind === 'refused' && <ProblemNote problem={state.problem} retry={again} />}
      <Log
        name={`Log of ${choice.container}`}
        lines={lines}
        isAtEnd={isAtEnd}
        foot={<Foot state={state} isFollowed={choice.isFollowed} again={again} />}
      >
        <Choice pod={pod} choice={choice} />
        <a
          class="button icon"
          href={downloadUrl(place, pod.name, choice)}
          download={`${pod.name}-${choice.container}.log`}
          aria-label="Download the whole log"
          title="Download the whole log"
        >
          <Icon name="download" />
        </a>
      </Log>
    </>
  )
}

/** Who followed the log before the tab was hidden follows it again; who read further up keeps the place. */
function useReturn({ state, again }: LogReading, isAtEnd: boolean) {
  const isReleased = state.kind === 'released' && isAtEnd
  useEffect(() => {
    if (!isReleased) return undefined
    const look = () => {
      if (document.visibilityState === 'visible') again()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [isReleased])
}

/** A log whose connection broke is followed again when the connection to Portico is back. */
function useReconnect({ state, again }: LogReading, isAtEnd: boolean) {
  const wasLost = useRef(false)
  const stream = liveState.value
  useEffect(() => {
    if (stream === 'lost') wasLost.current = true
    if (stream !== 'live' || !wasLost.current) return
    wasLost.current = false
    if (state.kind === 'lost' && isAtEnd) again()
  }, [stream])
}

/** Names a run of the container while it runs; null while it does not. */
function runOf({ containers }: PodLogProps['pod'], { container }: LogChoice): string | null {
  const found = containers.find(({ name }) => name === container)
  return found?.state === 'running' ? `${container} ${found.restarts}` : null
}

/** Who followed a run to its end follows the next one, and who waited for the first one sees it. */
function useNextRun({ state, again }: LogReading, run: string | null) {
  const last = useRef(run)
  useEffect(() => {
    if (run === null || run === last.current) return
    last.current = run
    if (state.kind === 'ended' || state.kind === 'refused') again()
  }, [run])
}

interface ChoiceProps {
  readonly pod: Pick<Pod, 'containers'>
  readonly choice: LogChoice
}

function Choice({ pod, choice }: ChoiceProps) {
  const chosen = pod.containers.find(({ name }) => name === choice.container)
  const hasPrevious = (chosen?.restarts ?? 0) > 0
  return (
    <>
      <select
        aria-label="Container"
        value={choice.container}
        onChange={(event) =>
          setQuery({ container: event.currentTarget.value, previous: undefined })
        }
      >
        {pod.containers.map(({ name, init, sidecar }) => (
          <option key={name} value={name}>
            {name}
            {sidecar ? ' (sidecar)' : init ? ' (init)' : ''}
          </option>
        ))}
      </select>
      <select
        aria-label="Run"
        value={choice.isPrevious ? 'previous' : 'present'}
        onChange={(event) =>
          setQuery({ previous: event.currentTarget.value === 'previous' ? 'true' : undefined })
        }
      >
        <option value="present">this run</option>
        <option value="previous" disabled={!hasPrevious && !choice.isPrevious}>
          {hasPrevious ? 'the run before' : 'no run before'}
        </option>
      </select>
      <select
        aria-label="Lines"
        value={choice.tail}
        onChange={(event) => setQuery({ tail: event.currentTarget.value })}
      >
        {TAILS.map((tail) => (
          <option key={tail} value={tail}>
            last {Number(tail).toLocaleString('en')} lines
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button"
        aria-pressed={choice.isFollowed}
        aria-disabled={choice.isPrevious || undefined}
        title={choice.isPrevious ? 'The run before has ended; nothing follows' : undefined}
        onClick={() => {
          if (!choice.isPrevious) setQuery({ follow: choice.isFollowed ? 'false' : undefined })
        }}
      >
        Follow
      </button>
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
