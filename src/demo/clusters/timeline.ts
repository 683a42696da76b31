import type { Clock } from '../../lib/ports/clock.ts'

/** Time as a simulation has it: it goes as fast as whoever drives it wants. */
export interface Timeline extends Clock {
  /** Calls `act` once, then; the function that it gives forgets it. */
  after(ms: number, act: () => void): () => void
}

export interface DrivenTimeline extends Timeline {
  /** Lives through everything that is due until then, as if it took place then. */
  advanceTo(ms: number): void
  /** From here on time is the clock's. No timer keeps the process alive. */
  follow(clock: Clock): void
  close(): void
}

interface Plan {
  readonly at: number
  readonly act: () => void
}

/** A timer that is too early would only be set again. */
const TIMER_MS_MIN = 5
const TIMER_MS_MAX = 600_000

/** `onBug` gets what an act throws: the acts after it take place all the same. */
export function createTimeline(start: number, onBug: (error: unknown) => void): DrivenTimeline {
  /** By time; what is planned for one moment stays in its order. */
  const plans: Plan[] = []
  let followed: Clock | undefined
  let moment = start
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  const now = () => followed?.now() ?? moment

  function runDue(until: number): void {
    for (let next = plans[0]; next !== undefined && next.at <= until; next = plans[0]) {
      plans.shift()
      moment = Math.max(moment, next.at)
      try {
        next.act()
      } catch (error) {
        onBug(error)
      }
    }
  }

  /** One timer, for whatever comes next: a cluster where nothing happens costs nothing. */
  function arm(): void {
    clearTimeout(timer)
    const [next] = plans
    if (followed === undefined || next === undefined || closed) return
    const wait = Math.min(Math.max(next.at - followed.now(), TIMER_MS_MIN), TIMER_MS_MAX)
    timer = setTimeout(() => {
      runDue(now())
      arm()
    }, wait)
    timer.unref()
  }

  return {
    now,
    after(ms, act) {
      if (closed) return () => {}
      const plan = { at: now() + Math.max(ms, 0), act }
      const place = plans.findLastIndex(({ at }) => at <= plan.at) + 1
      plans.splice(place, 0, plan)
      if (place === 0) arm()
      return () => {
        const index = plans.indexOf(plan)
        if (index !== -1) plans.splice(index, 1)
      }
    },
    advanceTo(ms) {
      runDue(ms)
      moment = Math.max(moment, ms)
    },
    follow(clock) {
      followed = clock
      arm()
    },
    close() {
      closed = true
      plans.length = 0
      clearTimeout(timer)
    },
  }
}
