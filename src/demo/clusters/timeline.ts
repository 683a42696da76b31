import type { Clock } from '../../lib/ports/clock.ts'

/** Simulated time. Its driver decides how fast it passes. */
export interface Timeline extends Clock {
  /** Runs `action` once after `ms`. Returns a function that cancels it. */
  after(ms: number, action: () => void): () => void
}

export interface DrivenTimeline extends Timeline {
  /** Runs every action that is due until then, each at its own time. */
  advanceTo(ms: number): void
  /** Time is the clock's from now on. Timers do not keep the process alive. */
  follow(clock: Clock): void
  close(): void
}

interface ScheduledAction {
  readonly at: number
  readonly action: () => void
}

/** A timer that fires early would only be armed again. */
const TIMER_MS_MIN = 5
const TIMER_MS_MAX = 600_000

/** An action that throws is reported to `onBug`; later actions still run. */
export function createTimeline(start: number, onBug: (error: unknown) => void): DrivenTimeline {
  /** Ordered by time; actions of the same time keep their order. */
  const scheduled: ScheduledAction[] = []
  let clock: Clock | undefined
  let simulatedNow = start
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  const now = () => clock?.now() ?? simulatedNow

  function runDue(until: number): void {
    for (let next = scheduled[0]; next !== undefined && next.at <= until; next = scheduled[0]) {
      scheduled.shift()
      simulatedNow = Math.max(simulatedNow, next.at)
      try {
        next.action()
      } catch (error) {
        onBug(error)
      }
    }
  }

  /** There is one timer, for the next action: an idle cluster costs nothing. */
  function arm(): void {
    clearTimeout(timer)
    const [next] = scheduled
    if (clock === undefined || next === undefined || closed) return
    const wait = Math.min(Math.max(next.at - clock.now(), TIMER_MS_MIN), TIMER_MS_MAX)
    timer = setTimeout(() => {
      runDue(now())
      arm()
    }, wait)
    timer.unref()
  }

  return {
    now,
    after(ms, action) {
      if (closed) return () => {}
      const entry = { at: now() + Math.max(ms, 0), action }
      const position = scheduled.findLastIndex(({ at }) => at <= entry.at) + 1
      scheduled.splice(position, 0, entry)
      if (position === 0) arm()
      return () => {
        const index = scheduled.indexOf(entry)
        if (index !== -1) scheduled.splice(index, 1)
      }
    },
    advanceTo(ms) {
      runDue(ms)
      simulatedNow = Math.max(simulatedNow, ms)
    },
    follow(realClock) {
      clock = realClock
      arm()
    },
    close() {
      closed = true
      scheduled.length = 0
      clearTimeout(timer)
    },
  }
}
