import { ok } from '../../../lib/result.ts'
import { type Outcome, tooMany } from './refusal.ts'

const STREAMS_MAX = 200
/** A client with more unread lines is disconnected. Greater than the number of lines that a watch can start with. */
const BACKLOG_MAX = 5_000

export interface LineWriter {
  readonly write: (text: string) => void
  readonly end: () => void
}

/** Long-lived streaming responses. */
export interface Streams {
  /** `begin` returns a cleanup function. It runs once: when the writer ends, or when the client leaves or falls behind. */
  open(
    contentType: string,
    signal: AbortSignal,
    begin: (writer: LineWriter) => () => void,
  ): Outcome<Response>
  closeAll(): void
}

export function createStreams(): Streams {
  const ends = new Set<() => void>()
  return {
    open(contentType, signal, begin) {
      if (ends.size >= STREAMS_MAX) return tooMany()
      const body = streamLines(signal, (writer) => {
        const stop = begin(writer)
        ends.add(writer.end)
        return () => {
          ends.delete(writer.end)
          stop()
        }
      })
      return ok(new Response(body, { headers: { 'content-type': contentType } }))
    },
    closeAll() {
      for (const end of ends) end()
    },
  }
}

function streamLines(
  signal: AbortSignal,
  begin: (writer: LineWriter) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop: (() => void) | undefined
  let isFinished = false

  function finish(): void {
    isFinished = true
    const cleanUp = stop
    stop = undefined
    cleanUp?.()
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          if (!isFinished) controller.close()
          finish()
        }
        const write = (text: string) => {
          if (isFinished) return
          controller.enqueue(encoder.encode(text))
          if ((controller.desiredSize ?? 0) <= 0) end()
        }
        stop = begin({ write, end })
        // `begin` itself may have ended the stream.
        if (isFinished) finish()
        signal.addEventListener('abort', end, { once: true })
        if (signal.aborted) end()
      },
      cancel: finish,
    },
    new CountQueuingStrategy({ highWaterMark: BACKLOG_MAX }),
  )
}
