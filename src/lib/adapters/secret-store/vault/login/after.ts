/** Runs work once after a time, unless it is cancelled with the returned function. */
export type After = (ms: number, work: () => void) => () => void

/** A timer that does not keep the process alive. */
export const afterTimer: After = (ms, work) => {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}
