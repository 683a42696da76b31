/** Says whether changes in the cluster appear by themselves. */
export const LiveMark = ({ isLive }: { readonly isLive: boolean }) => (
  <span class="live" data-tone={isLive ? 'ok' : 'idle'}>
    {isLive ? 'Live' : 'Every few seconds'}
  </span>
)
