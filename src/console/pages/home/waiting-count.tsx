import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { liveState, watchTopic } from '../../api/live/tabs.ts'
import { session } from '../../api/session.ts'
import { useInbox } from './use-inbox.ts'

/** Number of things that wait for the person, in the navigation. It is asked for after what the page needs. */
export function WaitingCount() {
  const isOpened = useSignal(false)
  // The stream is not opened again for this topic.
  useEffect(() => watchTopic('promotions', () => undefined), [])
  useEffect(() => {
    if (liveState.value !== 'connecting') isOpened.value = true
  }, [liveState.value])
  const person = isOpened.value ? session.value : undefined
  const { inbox } = useInbox(person, person?.platform === true ? {} : { mine: true })
  const count = inbox?.yours.length ?? 0
  if (count === 0) return null
  return (
    <span class="nav-count">
      {count}
      <span class="sr"> for you</span>
    </span>
  )
}
