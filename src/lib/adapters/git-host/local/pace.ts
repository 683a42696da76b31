import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 2

/** For long loops: `if (pace.due()) await pace.rest()` gives way to other work once this one has had its slice. */
export function createPace() {
  let since = performance.now()
  return {
    due: () => performance.now() - since >= SLICE_MS,
    async rest(): Promise<void> {
      await setImmediate()
      since = performance.now()
    },
  }
}
