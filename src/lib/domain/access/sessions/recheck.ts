/** Upper bound of how long a stream outlives a lost group membership. The end of the session ends it at once. */
export const RECHECK_EVERY_MS = 10_000

export interface Recheck {
  readonly everyMs: number
  readonly ended: AbortSignal
  readonly isHeld: () => Promise<boolean>
  readonly onLost: () => void
  /** Receives exceptions of `isHeld`; the stream goes on. */
  readonly onBug: (bug: unknown) => void
}

/** Rechecks the right to a stream until the stream ends. A pause begins when the check before it is over: slow checks do not pile up. */
export async function recheck({ everyMs, ended, isHeld, onLost, onBug }: Recheck): Promise<void> {
  while (await pause(everyMs, ended)) {
    try {
      if (!(await isHeld())) return onLost()
    } catch (bug) {
      onBug(bug)
    }
  }
}

/** Answers `false` at once when the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms).unref()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve(false)
    })
    if (signal.aborted) resolve(false)
  })
