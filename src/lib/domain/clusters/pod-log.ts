/**
 * A stream that says when it is over: at its end, at its failure, or when its reader leaves. What ends by the signal ends as if
 * there were no more.
 */
export function tellingEnd(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          if (signal.aborted) controller.close()
          else controller.error(error)
        }
        onEnd()
      },
      async cancel(reason) {
        onEnd()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
