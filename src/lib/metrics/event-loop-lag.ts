/** Interval of the timer. Stalls of at least this length are always measured. */
const SAMPLE_EVERY_MS = 100

/** Reports how late a periodic timer fires, which is how long the event loop was blocked. */
export function watchEventLoop(observe: (lagSeconds: number) => void): void {
  let due = performance.now() + SAMPLE_EVERY_MS
  const timer = setInterval(() => {
    const now = performance.now()
    observe(Math.max(0, now - due) / 1_000)
    due = now + SAMPLE_EVERY_MS
  }, SAMPLE_EVERY_MS)
  timer.unref()
}
