/** Work that ends with its signal, and the signal that ends it in time. */
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
