import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { urlOf } from '../../api/call.ts'
import { query, setQuery } from '../../router.ts'
import { Act, type ActProps, More } from '../../ui/act.tsx'
import { Choice } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Log } from '../../ui/log.tsx'
import { ProblemNote } from '../../ui/parts.tsx'
import {
  downloadUrl,
  type LogChoice,
  logChoice,
  type LoggedPod,
  logUrl,
  TAILS,
} from './log-address.ts'
import type { Place } from './place.ts'
import { type LogState, runOf, useAgain, useLog } from './use-log.ts'

/** The log of a container. The address says which. */
export function PodLog({ place, pod }: { readonly place: Place; readonly pod: LoggedPod }) {
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

interface LogControlsProps {
  readonly place: Place
  readonly pod: LoggedPod
  readonly choice: LogChoice
}

/** Which log is read. Each choice is in the address. */
function LogControls({ place, pod, choice }: LogControlsProps) {
  const chosen = pod.containers.find(({ name }) => name === choice.container)
  const hasPrevious = (chosen?.restarts ?? 0) > 0
  return (
    <>
      <Choice
        label="Container"
        value={choice.container}
        options={pod.containers.map(({ name, init, sidecar }) => ({
          value: name,
          label: `${name}${sidecar ? ' (sidecar)' : init ? ' (init)' : ''}`,
        }))}
        onChoose={(container) => setQuery({ container, previous: undefined })}
      />
      <Choice
        label="Run"
        value={String(choice.isPrevious)}
        options={[
          { value: 'false', label: 'this run' },
          {
            value: 'true',
            label: hasPrevious ? 'the run before' : 'no run before',
            isDisabled: !hasPrevious && !choice.isPrevious,
          },
        ]}
        onChoose={(previous) => setQuery({ previous })}
      />
      <Choice
        label="Lines"
        value={choice.tail}
        options={TAILS.map((tail) => ({
          value: tail,
          label: `last ${Number(tail).toLocaleString('en')} lines`,
        }))}
        onChoose={(tail) => setQuery({ tail })}
      />
      <Follow
        isOn={choice.isFollowed}
        reason={choice.isPrevious ? 'The run before has ended; nothing follows' : undefined}
      />
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

const Follow = ({ isOn, ...act }: { readonly isOn: boolean } & Pick<ActProps, 'reason'>) => (
  <Act {...act} isPressed={isOn} onClick={() => setQuery({ follow: isOn ? 'false' : undefined })}>
    Follow
  </Act>
)

const LOG = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/workloads/{kind}/{name}/log'
const TAIL_LINES = 1_000

interface WorkloadLogProps {
  readonly place: Place
  readonly kind: string
  readonly name: string
}

/** The log of all pods, once somebody asks for it: each container that is followed holds a stream of the cluster. */
export function WorkloadLog({ place, kind, name }: WorkloadLogProps) {
  if (!query.value.has('log')) {
    return <More onClick={() => setQuery({ log: 'all' })}>Show the log of all pods</More>
  }
  const isFollowed = query.value.get('follow') !== 'false'
  const params = { clusterId: place.cluster, namespace: place.namespace, kind, name }
  const url = urlOf(LOG, {
    params,
    query: { tailLines: TAIL_LINES, ...(isFollowed && { follow: true }) },
  })
  return (
    <LogView name={`Log of ${name}`} url={url} isFollowed={isFollowed} run={null}>
      <Follow isOn={isFollowed} />
    </LogView>
  )
}

interface LogViewProps {
  readonly name: string
  /** Null reads nothing. */
  readonly url: string | null
  readonly isFollowed: boolean
  /** The run that is to be read, when the log is that of one. */
  readonly run: string | null
  /** Which log is read. */
  readonly children: ComponentChildren
}

/** A log as it comes. The address names the line that is looked at. */
function LogView({ name, url, isFollowed, run, children }: LogViewProps) {
  const reading = useLog(url)
  const isAtEnd = useSignal(true)
  useAgain(reading, isAtEnd.value, run)
  const { state, lines, again } = reading
  return (
    <>
      {state.kind === 'refused' && <ProblemNote problem={state.problem} retry={again} />}
      <Log
        name={name}
        lines={lines}
        isAtEnd={isAtEnd}
        chosen={query.value.get('line') ?? undefined}
        onChoose={(line) => {
          setQuery({ line }, { replace: true })
          return location.href
        }}
        foot={<Foot state={state} isFollowed={isFollowed} again={again} />}
      >
        {children}
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
      <Act onClick={again}>{isFollowed ? 'Follow again' : 'Read again'}</Act>
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
      return isFollowed ? 'It has ended, or you lost access to it.' : 'End of the log so far.'
    case 'lost':
      return 'The connection broke; later lines are missing.'
    case 'released':
      return 'Not followed while the tab was hidden.'
    case 'refused':
      return 'The log cannot be read.'
  }
}
