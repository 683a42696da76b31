import { setQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { downloadUrl, type LogChoice, type LoggedPod, TAILS } from './log-address.ts'
import type { Place } from './place.ts'

export interface LogControlsProps {
  readonly place: Place
  readonly pod: LoggedPod
  readonly choice: LogChoice
}

/** Which log is read. Each choice is in the address. */
export function LogControls({ place, pod, choice }: LogControlsProps) {
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
          setQuery({ previous: String(event.currentTarget.value === 'previous') })
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
      <a
        class="button icon"
        href={downloadUrl(place, pod.name, choice)}
        download={`${pod.name}-${choice.container}.log`}
        aria-label="Download the whole log"
        title="Download the whole log"
      >
        <Icon name="download" />
      </a>
    </>
  )
}
