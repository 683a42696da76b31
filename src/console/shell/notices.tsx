import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { liveState } from '../api/live/tabs.ts'
import { signedOut } from '../api/session-state.ts'
import { signInUrl } from '../api/session.ts'
import { announcement } from '../ui/announce.ts'
import { Icon } from '../ui/icon.tsx'

/** A short loss, as in a change of networks, is not worth a word. */
const LOST_FOR_MS = 4_000

function useLost(): boolean {
  const isLost = useSignal(false)
  const state = liveState.value
  useEffect(() => {
    isLost.value = false
    if (state !== 'lost') return undefined
    const timer = setTimeout(() => {
      isLost.value = true
    }, LOST_FOR_MS)
    return () => clearTimeout(timer)
  }, [state])
  return isLost.value
}

function useOffline(): boolean {
  const isOffline = useSignal(!navigator.onLine)
  useEffect(() => {
    const look = () => {
      isOffline.value = !navigator.onLine
    }
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  return isOffline.value
}

/** The state of the connection and of the session, above every page; nothing while all is well. */
export function Notices() {
  const isOffline = useOffline()
  const isLost = useLost()
  if (signedOut.value !== undefined) {
    return (
      <div class="notice" data-tone="warn" role="alert">
        <Icon name="warn" />
        <p>Your session has ended. What you see is from before, and nothing can be changed.</p>
        <a class="button" href={signInUrl()}>
          Sign in again
        </a>
      </div>
    )
  }
  if (!isOffline && !isLost) return null
  return (
    <div class="notice" data-tone="warn" role="status">
      <Icon name="warn" />
      <p>
        {isOffline
          ? 'This computer is offline. What you see is from before.'
          : 'The connection to Portico is lost. What you see is from before; it comes again by itself.'}
      </p>
    </div>
  )
}

/** The status region: empty until something is to be said. */
export const Announcer = () => (
  <p class="announcer" role="status" aria-live="polite">
    {announcement}
  </p>
)
