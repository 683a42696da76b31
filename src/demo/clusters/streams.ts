import { ok } from '../../lib/result.ts'
import { type Outcome, tooMany } from './refusal.ts'

const STREAMS_MAX = 200
/** A client with more unread pieces is disconnected. Greater than the number of changes that a watch can start with. */
const BACKLOG_MAX = 6_000

interface StreamWriter {
  readonly write: (text: string) => void
  readonly end: () => void
}

/** Long-lived streaming responses. */
export type Streams = ReturnType<typeof createStreams>

export function createStreams() {
  const ends = new Set<() => void>()
  return {
    /** `begin` returns a cleanup function. It runs once: when the writer ends, or when the client leaves or falls behind. */
    open(
      contentType: string,
      signal: AbortSignal,
      begin: (writer: StreamWriter) => () => void,
    ): Outcome<Response> {
      if (ends.size >= STREAMS_MAX) return tooMany()
      const encoder = new TextEncoder()
      let cleanUp: (() => void) | undefined
      let isOver = false
      let leave = () => {}
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            leave = () => {
              isOver = true
              ends.delete(end)
              cleanUp?.()
              cleanUp = undefined
            }
            const end = () => {
              if (!isOver) controller.close()
              leave()
            }
            const write = (text: string) => {
              if (isOver) return
              controller.enqueue(encoder.encode(text))
              if ((controller.desiredSize ?? 0) <= 0) end()
            }
            ends.add(end)
            cleanUp = begin({ write, end })
            signal.addEventListener('abort', end, { once: true })
            if (signal.aborted) end()
            // `begin` itself may have ended the stream.
            if (isOver) leave()
          },
          cancel: () => leave(),
        },
        new CountQueuingStrategy({ highWaterMark: BACKLOG_MAX }),
      )
      return ok(new Response(body, { headers: { 'content-type': contentType } }))
    },
    closeAll(): void {
      for (const end of ends) end()
    },
  }
}
