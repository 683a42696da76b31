/** Whether a deadline has thrown it, or a signal that ends with one. */
export const isTimeout = (thrown: unknown): boolean =>
  thrown instanceof DOMException && thrown.name === 'TimeoutError'

/** Runs work with a signal that aborts at the deadline. The timer ends with the work. */
export async function withinDeadline<Value>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    deadline.abort(new DOMException('the deadline has passed', 'TimeoutError'))
  }, deadlineMs)
  try {
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
  }
}
