interface Readiness {
  readonly timeoutMs: number
  readonly hasEnded?: () => boolean
  /** What is told of a process that does not get ready. */
  readonly said: () => string | Promise<string>
}

/** Waits until a process answers, and throws once it has ended or has had its time. */
export async function untilReady(
  isReady: () => Promise<boolean>,
  { timeoutMs, hasEnded = () => false, said }: Readiness,
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs)
  while (!(await isReady().catch(() => false))) {
    if (hasEnded() || timeout.aborted) throw new Error(await said())
    await Bun.sleep(25)
  }
}
