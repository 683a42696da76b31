import { createFair } from '../concurrency/fair.ts'
import type { Person } from '../concurrency/on-behalf-of.ts'

export interface AdmissionOptions {
  /** Requests that this process works on at a time. `WAITING_SHARE` times as many may wait. */
  readonly requestsMax: number
  /** Beyond it the process takes fewer requests at a time, until it is back. */
  readonly lagMaxMs: number
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
  /** Runs a function in a later turn of the event loop. */
  readonly soon?: (work: () => void) => void
}

export interface Admission {
  /** Whether the request may begin now. `leave` must follow it. */
  enter(person: Person): boolean
  /** Waits for a turn. `false`: the process has too much to do. Throws the reason of `signal`. */
  wait(person: Person, signal: AbortSignal): Promise<boolean>
  /** The answer has begun. */
  leave(person: Person): void
}

/** The loop works without a pause for no longer than this before all who come wait for their turns. */
const SLICE_MS = 0.25
/** A shorter pause between two requests is none: they came in the same turn of the event loop. */
const PAUSE_MS = 0.02
const STARTS_PER_TURN = 8
/** Clients that wait for longer are sent away: less than the patience of most, and more than a burst of slow reads of one person takes. */
const WAIT_MAX_MS = 5_000
/** Longest time for an answer under overload. */
const PATIENCE_MS = 1_000
const LAG_CHECK_MS = 50
/** One that waits takes some kilobytes. To refuse it takes nearly as long as to answer it, and then its client asks again. */
const WAITING_SHARE = 256
/** One event loop serves all: everybody waits for the requests that one person has under way. */
const PERSON_SHARE = 1 / 16
const PER_PERSON_LEAST = 2
const REQUESTS_LEAST = 8
const FEWER = 0.5
const MORE = 1.25

/**
 * Admits requests to the process. With little to do each begins at once. While the loop is busy they wait, begin in turns of persons, and
 * in turns with the reading of further requests, so that who asks for one thing waits for about one request of others. The event loop's lag decides how
 * many requests are under way; those beyond the bound are refused.
 */
export function createAdmission({
  requestsMax,
  lagMaxMs,
  now = () => performance.now(),
  soon = setImmediate,
}: AdmissionOptions): Admission {
  let busySince = 0
  let lastWorkedAt = 0
  let isTurnDue = false
  let turnBeganAt: number | null = null
  let startsDue = 0
  let lagCheckDueAt: number | null = null

  const requests = createFair({
    queue: 'requests',
    permits: requestsMax,
    perPerson: Math.max(PER_PERSON_LEAST, Math.floor(requestsMax * PERSON_SHARE)),
    waitingMax: requestsMax * WAITING_SHARE,
    patienceMs: PATIENCE_MS,
    onWaiting: scheduleTurn,
    now,
  })

  function scheduleTurn(): void {
    if (isTurnDue) return
    isTurnDue = true
    turnBeganAt = null
    startsDue = STARTS_PER_TURN
    for (let start = 0; start < STARTS_PER_TURN; start += 1) soon(startOne)
  }

  /** Each start is a task of its own, so that what follows without waiting counts for the slice. */
  function startOne(): void {
    const startedAt = now()
    turnBeganAt ??= startedAt
    startsDue -= 1
    const isOver = startedAt - turnBeganAt >= SLICE_MS
    const hasBegun = !isOver && requests.admitNext()
    if (startsDue > 0) return
    isTurnDue = false
    // Without room the next `leave` schedules the turn.
    if (requests.waiting() > 0 && (isOver || hasBegun)) scheduleTurn()
  }

  /** One timer while there is something to do: an idle process does nothing. */
  function checkLagSoon(from: number): void {
    if (lagCheckDueAt !== null) return
    lagCheckDueAt = from + LAG_CHECK_MS
    setTimeout(checkLag, LAG_CHECK_MS).unref()
  }

  function checkLag(): void {
    const checkedAt = now()
    const lagMs = checkedAt - (lagCheckDueAt ?? checkedAt)
    lagCheckDueAt = null
    const permits =
      lagMs > lagMaxMs
        ? Math.max(
            REQUESTS_LEAST,
            Math.floor(Math.min(requests.permits(), requests.running()) * FEWER),
          )
        : Math.ceil(requests.permits() * MORE)
    requests.resize(Math.min(requestsMax, permits))
    requests.refuseBefore(checkedAt - WAIT_MAX_MS)
    if (requests.waiting() > 0) scheduleTurn()
    if (requests.waiting() > 0 || requests.permits() < requestsMax) checkLagSoon(checkedAt)
  }

  return {
    enter(person) {
      const at = now()
      checkLagSoon(at)
      if (at - lastWorkedAt > PAUSE_MS) busySince = at
      const isBusy = requests.waiting() > 0 || at - busySince > SLICE_MS
      return !isBusy && requests.enter(person)
    },
    wait: (person, signal) => requests.wait(person, signal),
    leave(person) {
      lastWorkedAt = now()
      requests.leave(person)
      if (requests.waiting() > 0) scheduleTurn()
    },
  }
}
