import { liveState } from '../../api/live/tabs.ts'
import type { StreamState } from '../../api/live/hub.ts'

const WAITS: Readonly<Record<StreamState | 'off', string>> = {
  connecting: 'Connecting…',
  lost: 'Reconnecting…',
  // The stream is there, and the list is not on it yet.
  live: 'Connecting…',
  off: 'Asks every few seconds',
}

/** Says whether changes in the cluster appear by themselves. */
export const LiveMark = ({ isLive }: { readonly isLive: boolean }) => (
  <span class="live" data-tone={isLive ? 'ok' : 'warn'}>
    {isLive ? 'Live' : WAITS[liveState.value]}
  </span>
)
