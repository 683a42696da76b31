/** Often enough that a stall of this length is always seen, seldom enough to cost nothing. */
const SAMPLE_EVERY_MS = 100

/** Tells by how much a timer came late, again and again: for as long nothing else was answered either. */
export function watchEventLoop(observe: (lagSeconds: number) => void): void {
  let due = performance.now() + SAMPLE_EVERY_MS
  const timer = setInterval(() => {
    const now = performance.now()
    observe(Math.max(0, now - due) / 1_000)
    due = now + SAMPLE_EVERY_MS
  }, SAMPLE_EVERY_MS)
  timer.unref()
}
