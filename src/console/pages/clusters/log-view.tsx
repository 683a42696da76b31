import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { query, setQuery } from '../../router.ts'
import { Act } from '../../ui/act.tsx'
import { Log } from '../../ui/log.tsx'
import { ProblemNote } from '../../ui/parts.tsx'
import { useAgain } from './use-again.ts'
import { type LogState, useLog } from './use-log.ts'

export interface LogViewProps {
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
export function LogView({ name, url, isFollowed, run, children }: LogViewProps) {
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
      return isFollowed ? 'It has ended, or your access to it.' : 'This is its end so far.'
    case 'lost':
      return 'The connection broke; later lines are missing.'
    case 'released':
      return 'Not followed while the tab was hidden.'
    case 'refused':
      return 'The log cannot be read.'
  }
}
