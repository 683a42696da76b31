import { err, ok, type Result } from '../../../result.ts'

/** Git processes that serve clients at once. */
const PLACES_MAX = 16
/** Upper bound for one person, so that the stalled clients of one person keep nobody else out. */
const PERSON_PLACES_MAX = 4
/** A git client sends one request after another: more than a few come from scripts. */
const PERSON_WAITING_MAX = 16
const WAITING_MAX = 256
const WAIT_MS = 20_000

export type NoPlace = 'person_busy' | 'host_busy' | 'left'

/** Gives a place back; harmless when repeated. */
export type Leave = () => void

interface Waiter {
  readonly person: string
  readonly admit: () => void
}

/** Places for requests of git clients. Who finds none waits for a while, in the order of arrival. */
export function createTransferPlaces() {
  const taken = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let total = 0

  const hasPlaceFor = (person: string) =>
    total < PLACES_MAX && (taken.get(person) ?? 0) < PERSON_PLACES_MAX

  function take(person: string): Leave {
    total += 1
    taken.set(person, (taken.get(person) ?? 0) + 1)
    let left = false
    return () => {
      if (left) return
      left = true
      total -= 1
      const rest = (taken.get(person) ?? 0) - 1
      if (rest > 0) taken.set(person, rest)
      else taken.delete(person)
      const next = [...waiting].find((waiter) => hasPlaceFor(waiter.person))
      next?.admit()
    }
  }

  return async function enter(
    person: string,
    signal: AbortSignal,
  ): Promise<Result<Leave, NoPlace>> {
    if (signal.aborted) return err('left')
    if (hasPlaceFor(person)) return ok(take(person))
    const own = [...waiting].filter((waiter) => waiter.person === person)
    if (own.length >= PERSON_WAITING_MAX) return err('person_busy')
    if (waiting.size >= WAITING_MAX) return err('host_busy')

    const { promise, resolve } = Promise.withResolvers<Result<Leave, NoPlace>>()
    const waiter = { person, admit: () => end(ok(take(person))) }
    const giveUp = () => end(err('left'))
    const tooLong = () => end(err(total < PLACES_MAX ? 'person_busy' : 'host_busy'))
    const timer = setTimeout(tooLong, WAIT_MS)
    function end(outcome: Result<Leave, NoPlace>): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      waiting.delete(waiter)
      resolve(outcome)
    }
    waiting.add(waiter)
    signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }
}
