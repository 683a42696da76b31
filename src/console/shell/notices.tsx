import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { liveState } from '../api/live/tabs.ts'
import { signedOut } from '../api/session-state.ts'
import { signInUrl } from '../api/session.ts'
import { announcement } from '../ui/announce.ts'
import { Icon } from '../ui/icon.tsx'

/** A short loss, as in a change of networks, is not worth a word. */
const LOST_FOR_MS = 4_000

/** `19:32`, when something began that has lasted for a while. */
function useSince(isSo: boolean, forMs: number): string | undefined {
  const since = useSignal<string | undefined>(undefined)
  useEffect(() => {
    since.value = undefined
    if (!isSo) return undefined
    const began = new Date().toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    const timer = setTimeout(() => {
      since.value = began
    }, forMs)
    return () => clearTimeout(timer)
  }, [isSo])
  return since.value
}

const isOffline = signal(!navigator.onLine)
for (const change of ['online', 'offline']) {
  addEventListener(change, () => (isOffline.value = !navigator.onLine))
}

/** The state of the connection and of the session, above every page; nothing while all is well. */
export function Notices() {
  const offlineSince = useSince(isOffline.value, 0)
  const lostSince = useSince(liveState.value === 'lost', LOST_FOR_MS)
  const isEnded = signedOut.value !== undefined
  const since = offlineSince ?? lostSince
  if (!isEnded && since === undefined) return null
  const lost = offlineSince === undefined ? 'Portico cannot be reached.' : 'You are offline.'
  return (
    <div class="notice" data-tone="warn" role={isEnded ? 'alert' : 'status'}>
      <Icon name="warn" />
      <p>
        {isEnded
          ? 'Your session has ended. You can look, but change nothing.'
          : `${lost} Showing data from ${since}.`}
      </p>
      {isEnded && (
        <a class="button" href={signInUrl()}>
          Sign in again
        </a>
      )}
    </div>
  )
}

/** The status region: empty until something is to be said. */
export const Announcer = () => (
  <p class="announcer" role="status" aria-live="polite">
    {announcement}
  </p>
)
