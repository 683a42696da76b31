import { session } from '../../api/session.ts'
import { useInbox } from './use-inbox.ts'

/** Number of things that wait for the person, in the navigation. */
export function WaitingCount() {
  const person = session.value
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
