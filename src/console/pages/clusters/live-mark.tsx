import { liveState } from '../../api/live/tabs.ts'

/** Says whether changes in the cluster appear by themselves. */
export function LiveMark({ isLive }: { readonly isLive: boolean }) {
  if (isLive) {
    return (
      <span class="live" data-tone="ok">
        Live
      </span>
    )
  }
  return (
    <span class="live" data-tone="idle">
      {liveState.value === 'connecting' ? 'Connecting…' : 'Asks every few seconds'}
    </span>
  )
}
