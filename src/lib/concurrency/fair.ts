import { currentPerson, stepAside } from './on-behalf-of.ts'

/** `null`: work of the service itself. */
type Person = string | null

export interface FairOptions {
  /** Names the queue in metrics. */
  readonly queue: string
  readonly permits: number
  /** Another system, which may take any time: who waits for it gives their place in this process to others. */
  readonly isElsewhere?: boolean
  /** Permits of one person; by default a quarter, and at least one. The service itself may have all. */
  readonly perPerson?: number
  /** One more waiter evicts the oldest of the longest queue. By default as many wait as want to. */
  readonly waitingMax?: number
  /** Who is one more of a person is refused at once. */
  readonly waitingPerPersonMax?: number
  /** Called when somebody begins to wait. Then `admitNext` alone admits; without it, a permit that is given back does. */
  readonly onWaiting?: () => void
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
}

interface Waiter {
  readonly since: number
  readonly admit: () => void
  readonly refuse: () => void
}

export type Fair = ReturnType<typeof createFair>

/** Share of all permits that one person may have. */
const SHARE = 1 / 4

let observe: ((queue: string, seconds: number) => void) | undefined

/** Reports how long each who had to wait has waited. */
export function observeQueues(observer: (queue: string, seconds: number) => void): void {
  observe = observer
}

/**
 * Shares something scarce: at most `permits` have it at a time, and those who wait are admitted in turns of persons, however much one of
 * them asks for. Who asks is `currentPerson`. Nobody who could be admitted waits.
 */
export function createFair(options: FairOptions) {
  const { queue, isElsewhere = false, onWaiting } = options
  const { waitingMax = Number.POSITIVE_INFINITY, waitingPerPersonMax = Number.POSITIVE_INFINITY } =
    options
  const now = options.now ?? (() => performance.now())
  let { permits } = options
  const held = new Map<Person, number>()
  /** By person, in the order of their next turns. */
  const waiting = new Map<Person, Waiter[]>()
  let running = 0
  let waiters = 0

  function hasRoom(person: Person): boolean {
    if (running >= permits) return false
    const most = options.perPerson ?? Math.max(1, Math.floor(permits * SHARE))
    return person === null || (held.get(person) ?? 0) < most
  }

  function begin(person: Person): void {
    running += 1
    held.set(person, (held.get(person) ?? 0) + 1)
  }

  /** Takes a permit if there is one. `leave` must give it back. */
  function enter(person: Person): boolean {
    if (!hasRoom(person)) return false
    begin(person)
    return true
  }

  function leave(person: Person): void {
    running -= 1
    const left = (held.get(person) ?? 0) - 1
    if (left > 0) held.set(person, left)
    else held.delete(person)
    if (waiters > 0 && onWaiting === undefined) admitNext()
  }

  function remove(person: Person, queued: Waiter[], at: number): Waiter | undefined {
    const [waiter] = queued.splice(at, 1)
    if (queued.length === 0) waiting.delete(person)
    waiters -= 1
    return waiter
  }

  /** Admits one of the next person who may have a permit. Under overload the newest comes first: who waited longer has often left. */
  function admitNext(): boolean {
    for (const [person, queued] of waiting) {
      if (!hasRoom(person)) continue
      const isOverloaded = waiters > waitingMax / 2
      const waiter = remove(person, queued, isOverloaded ? queued.length - 1 : 0)
      if (waiting.delete(person)) waiting.set(person, queued)
      begin(person)
      if (waiter === undefined) continue
      observe?.(queue, (now() - waiter.since) / 1_000)
      waiter.admit()
      return true
    }
    return false
  }

  function refuseLongest(): void {
    let longest: readonly [Person, Waiter[]] | undefined
    for (const entry of waiting) {
      if (longest === undefined || entry[1].length > longest[1].length) longest = entry
    }
    if (longest !== undefined) remove(...longest, 0)?.refuse()
  }

  /** Refuses those who have waited since `time` or longer. */
  function refuseBefore(time: number): void {
    for (const [person, queued] of waiting) {
      while (queued[0] !== undefined && queued[0].since <= time) remove(person, queued, 0)?.refuse()
    }
  }

  /** Waits for a permit; `false` when refused. An aborted `signal` ends the waiting with its reason. */
  async function wait(person: Person, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted()
    if ((waiting.get(person)?.length ?? 0) >= waitingPerPersonMax) return false
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const waiter: Waiter = {
      since: now(),
      admit: () => resolve(true),
      refuse: () => resolve(false),
    }
    const giveUp = () => {
      const queued = waiting.get(person) ?? []
      const at = queued.indexOf(waiter)
      if (at === -1) return
      remove(person, queued, at)
      reject(signal?.reason)
    }
    const queued = waiting.get(person) ?? []
    waiting.set(person, queued)
    queued.push(waiter)
    waiters += 1
    if (waiters > waitingMax) refuseLongest()
    onWaiting?.()
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Does work with a permit. For queues that refuse nobody. */
  async function inTurn<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const person = currentPerson()
    if (isElsewhere) stepAside()
    signal?.throwIfAborted()
    if (!enter(person)) await wait(person, signal)
    try {
      return await work()
    } finally {
      leave(person)
    }
  }

  return {
    inTurn,
    enter,
    wait,
    leave,
    hasRoom,
    admitNext,
    refuseBefore,
    running: () => running,
    waiting: () => waiters,
    permits: () => permits,
    heldBy: (person: string) => held.get(person) ?? 0,
    /** Those who have a permit keep it. */
    resize(to: number): void {
      permits = to
    },
    /** Holds a permit for long, without waiting. Returns its release, harmless when repeated; `undefined` when there is none. */
    take(person: string): (() => void) | undefined {
      if (!enter(person)) return undefined
      let isHeld = true
      return () => {
        if (isHeld) leave(person)
        isHeld = false
      }
    },
  }
}
