/** Upper bound of how long a stream outlives a lost group membership. The end of the session ends it at once. */
export const RECHECK_EVERY_MS = 10_000

export interface Recheck {
  readonly everyMs: number
  readonly isHeld: () => Promise<boolean>
  readonly onLost: () => void
  /** Receives exceptions of `isHeld`; the stream goes on. */
  readonly onBug: (bug: unknown) => void
}

/**
 * Rechecks the right to a stream until the returned function is called. A pause begins when the check before it is over: slow checks do
 * not pile up. Between two checks it is a timer and nothing else, because there are many streams.
 */
export function recheck({ everyMs, isHeld, onLost, onBug }: Recheck): () => void {
  let timer: Timer
  let hasEnded = false

  async function check(): Promise<void> {
    try {
      const held = await isHeld()
      if (hasEnded) return
      if (!held) return onLost()
    } catch (bug) {
      onBug(bug)
    }
    if (!hasEnded) schedule()
  }

  function schedule(): void {
    timer = setTimeout(() => void check(), everyMs).unref()
  }

  schedule()
  return () => {
    hasEnded = true
    clearTimeout(timer)
  }
}
