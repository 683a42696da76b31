import type { Timeline } from '../timeline.ts'

/** Length of one step. It changes when the simulation reaches the present. */
export interface Pace {
  stepMs: number
}

/** The time that scripts wait in. */
export interface ScriptTiming {
  readonly timeline: Timeline
  readonly pace: Pace
}

/** A process in simulated time. It yields the number of steps to wait. */
export type Script = Generator<number, void, undefined>

/** Plays a script to its end, or until `isAlive` says that its subject is gone. */
export function play(
  { timeline, pace }: ScriptTiming,
  script: Script,
  isAlive: () => boolean,
): void {
  const proceed = () => {
    if (!isAlive()) return
    const { done, value: steps } = script.next()
    if (done !== true) timeline.after(steps * pace.stepMs, proceed)
  }
  proceed()
}
