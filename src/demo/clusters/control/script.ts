import type { Timeline } from '../timeline.ts'

/** How long one step of a pod's life takes. It changes when a cluster has caught up with the present. */
export interface Pace {
  stepMs: number
}

export interface Stage {
  readonly timeline: Timeline
  readonly pace: Pace
}

/** What happens one after the other. It yields how many steps it waits. */
export type Script = Generator<number, void, undefined>

/** Plays a script, until it ends or `goesOn` says that what it is about is gone. */
export function play({ timeline, pace }: Stage, script: Script, goesOn: () => boolean): void {
  const proceed = () => {
    if (!goesOn()) return
    const { done, value: steps } = script.next()
    if (done !== true) timeline.after(steps * pace.stepMs, proceed)
  }
  proceed()
}
