import type { ComponentChildren } from 'preact'
import { liveState } from '../../api/live/tabs.ts'
import type { StreamState } from '../../api/live/hub.ts'

const WAITS: Readonly<Record<StreamState | 'off', string>> = {
  connecting: 'Connecting…',
  lost: 'Reconnecting…',
  // The stream is there, and the list is not on it yet.
  live: 'Connecting…',
  off: 'Asks every few seconds',
}

interface LiveMarkProps {
  readonly isLive: boolean
  /** The list that is followed, where the page has several. */
  readonly children?: ComponentChildren
}

/** Says whether changes in the cluster appear by themselves. */
export const LiveMark = ({ isLive, children }: LiveMarkProps) => (
  <span class="live" data-tone={isLive ? 'ok' : 'warn'}>
    <span>
      {isLive ? 'Live' : WAITS[liveState.value]}
      {children}
    </span>
  </span>
)
