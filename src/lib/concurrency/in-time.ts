/** The outcome of work, or `late` when it takes longer. The work goes on. */
export async function inTime<Value, Late>(
  work: Promise<Value>,
  maxMs: number,
  late: Late,
): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>()
  const timer = setTimeout(() => resolve(late), maxMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
