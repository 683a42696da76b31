import { createParty, currentParty, type Party, type Person, stepAside } from './on-behalf-of.ts'

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
  /** Once the oldest of a person has waited for longer, the newest of theirs comes first: who waited longer has often left. By default never. */
  readonly patienceMs?: number
  /** Who is one more of a person is refused at once. */
  readonly waitingPerPersonMax?: number
  /** Called when somebody begins to wait. Then `admitNext` alone admits; without it, a permit that is given back does. */
  readonly onWaiting?: () => void
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
}

interface Waiter {
  readonly since: number
  /** In whose queues it stands. */
  readonly people: Set<Person>
  readonly admit: (person: Person) => void
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
 * them asks for. Who asks is `currentParty`: work for several takes the turn of whoever comes first. Nobody who could be admitted waits.
 */
export function createFair(options: FairOptions) {
  const { queue, isElsewhere = false, onWaiting } = options
  const { waitingMax = Number.POSITIVE_INFINITY, waitingPerPersonMax = Number.POSITIVE_INFINITY } =
    options
  const { patienceMs = Number.POSITIVE_INFINITY } = options
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

  function stand(person: Person, waiter: Waiter): void {
    const queued = waiting.get(person) ?? []
    waiting.set(person, queued)
    queued.push(waiter)
    waiter.people.add(person)
  }

  function withdraw(waiter: Waiter): void {
    for (const person of waiter.people) {
      const queued = waiting.get(person) ?? []
      queued.splice(queued.indexOf(waiter), 1)
      if (queued.length === 0) waiting.delete(person)
    }
    waiter.people.clear()
    waiters -= 1
  }

  /** Admits one of the next person who may have a permit. */
  function admitNext(): boolean {
    for (const [person, queued] of waiting) {
      if (!hasRoom(person)) continue
      const [oldest] = queued
      if (oldest === undefined) continue
      const waiter = (now() - oldest.since > patienceMs && queued.at(-1)) || oldest
      withdraw(waiter)
      if (waiting.delete(person)) waiting.set(person, queued)
      begin(person)
      observe?.(queue, (now() - waiter.since) / 1_000)
      waiter.admit(person)
      return true
    }
    return false
  }

  /** How many are admitted before one more of a person. */
  function turnsBefore(person: Person): number {
    const own = waiting.get(person)?.length ?? 0
    const ofOthers = [...waiting]
      .filter(([other]) => other !== person)
      .map(([, queued]) => Math.min(queued.length, own + 1))
    return ofOthers.reduce((sum, turns) => sum + turns, own)
  }

  function refuse(waiter: Waiter): void {
    withdraw(waiter)
    waiter.refuse()
  }

  function refuseLongest(): void {
    let longest: readonly Waiter[] = []
    for (const queued of waiting.values()) if (queued.length > longest.length) longest = queued
    const [oldest] = longest
    if (oldest !== undefined) refuse(oldest)
  }

  /** Refuses those who have waited since `time` or longer. */
  function refuseBefore(time: number): void {
    for (const queued of waiting.values()) {
      while (queued[0] !== undefined && queued[0].since <= time) refuse(queued[0])
    }
  }

  /** Whose turn came first; `undefined` when refused. */
  async function queueUp(
    { people, watchers }: Party,
    signal?: AbortSignal,
  ): Promise<{ person: Person } | undefined> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<{ person: Person } | undefined>()
    const waiter: Waiter = {
      since: now(),
      people: new Set(),
      admit: (person) => resolve({ person }),
      refuse: () => resolve(undefined),
    }
    const isWaiting = () => waiter.people.size > 0
    const lendTurn = (person: Person) => {
      if (!isWaiting()) return
      stand(person, waiter)
      if (hasRoom(person)) admitNext()
    }
    const giveUp = () => {
      if (!isWaiting()) return
      withdraw(waiter)
      reject(signal?.reason)
    }
    for (const person of people) stand(person, waiter)
    watchers.add(lendTurn)
    waiters += 1
    if (waiters > waitingMax) refuseLongest()
    onWaiting?.()
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await promise
    } finally {
      watchers.delete(lendTurn)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Waits for a permit; `false` when refused. An aborted `signal` ends the waiting with its reason. */
  async function wait(person: Person, signal?: AbortSignal): Promise<boolean> {
    if ((waiting.get(person)?.length ?? 0) >= waitingPerPersonMax) return false
    return (await queueUp(createParty([person]), signal)) !== undefined
  }

  /** Does work with a permit. For queues that refuse nobody. */
  async function inTurn<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const party = currentParty()
    if (isElsewhere) stepAside()
    signal?.throwIfAborted()
    const ready = [...party.people].find(hasRoom)
    if (ready !== undefined) begin(ready)
    const turn = ready === undefined ? await queueUp(party, signal) : { person: ready }
    if (turn === undefined)
      throw new Error(`the queue ${queue} refuses, and must be entered by wait`)
    try {
      return await work()
    } finally {
      leave(turn.person)
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
    turnsBefore,
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
