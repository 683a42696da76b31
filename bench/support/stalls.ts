const SAMPLE_MS = 1

/** Samples the event loop of this process. The returned function gives the longest stall since its last call, in milliseconds. */
export function sampleStalls(): () => number {
  let longest = 0
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - SAMPLE_MS)
    last = now
  }, SAMPLE_MS).unref()
  return () => {
    const stall = longest
    longest = 0
    last = performance.now()
    return stall
  }
}
