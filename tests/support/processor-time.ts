/** Below this, noise is larger than what is measured. */
const FLOOR_MS = 5

/** Processor time of this thread, the least of four runs: other processes and the collector of garbage only ever add to it. */
function spentMs(work: () => unknown): number {
  const once = () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  return Math.min(once(), once(), once(), once())
}

/**
 * How many times the processor time of a quarter of the size the work takes: about 4 if it is linear, 16 if it is quadratic. Both are
 * measured on the same machine under the same load. The size has to be such that a quadratic program takes seconds.
 */
export function growth(size: number, workOf: (size: number) => () => unknown): number {
  const quarter = spentMs(workOf(size / 4))
  return spentMs(workOf(size)) / Math.max(quarter, FLOOR_MS)
}

/** Between linear and quadratic. */
export const LINEAR_GROWTH_MAX = 8
