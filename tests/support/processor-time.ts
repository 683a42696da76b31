/** Below this, noise is larger than what is measured. */
const FLOOR_MS = 5
const RUNS_LEAST = 4
const RUNS_MOST = 16

/** Between linear and quadratic. */
export const LINEAR_GROWTH_MAX = 8

function spentMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * How many times the processor time of a quarter of the size the work takes: about 4 if it is linear, 16 if it is quadratic. Both are
 * measured in turns under the same load, and the least of several runs counts: other processes and the collector of garbage only ever add
 * to it. The size has to be such that a quadratic program takes seconds.
 */
export function growth(size: number, workOf: (size: number) => () => unknown): number {
  const [ofQuarter, ofWhole] = [workOf(size / 4), workOf(size)]
  let [quarterMs, wholeMs] = [Infinity, Infinity]
  let ratio = Infinity
  for (let run = 0; run < RUNS_MOST; run += 1) {
    quarterMs = Math.min(quarterMs, spentMs(ofQuarter))
    wholeMs = Math.min(wholeMs, spentMs(ofWhole))
    ratio = wholeMs / Math.max(quarterMs, FLOOR_MS)
    if (run + 1 >= RUNS_LEAST && ratio < LINEAR_GROWTH_MAX) return ratio
  }
  return ratio
}
