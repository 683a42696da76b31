import { ok } from '../../../lib/result.ts'
import { type Outcome, tooMany } from './refusal.ts'

const STREAMS_MAX = 200
/** LineWriter that a client may leave unread before it is given up: more than a watch can begin with. */
const BACKLOG_MAX = 5_000

export interface LineWriter {
  readonly write: (text: string) => void
  readonly end: () => void
}

/** Answers that are written as things happen, and are open for long. */
export interface Streams {
  /**
   * `begin` gives what ends it, which is called once: when the client leaves or does not keep up, and when the writer is
   * done.
   */
  open(
    contentType: string,
    signal: AbortSignal,
    begin: (lines: LineWriter) => () => void,
  ): Outcome<Response>
  closeAll(): void
}

export function createStreams(): Streams {
  const ends = new Set<() => void>()
  return {
    open(contentType, signal, begin) {
      if (ends.size >= STREAMS_MAX) return tooMany()
      const body = streamLines(signal, (lines) => {
        const stop = begin(lines)
        ends.add(lines.end)
        return () => {
          ends.delete(lines.end)
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
  begin: (lines: LineWriter) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop: (() => void) | undefined
  let isOver = false

  function finish(): void {
    isOver = true
    const once = stop
    stop = undefined
    once?.()
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          if (!isOver) controller.close()
          finish()
        }
        const write = (text: string) => {
          if (isOver) return
          controller.enqueue(encoder.encode(text))
          if ((controller.desiredSize ?? 0) <= 0) end()
        }
        stop = begin({ write, end })
        // It may have ended while it began.
        if (isOver) finish()
        signal.addEventListener('abort', end, { once: true })
        if (signal.aborted) end()
      },
      cancel: finish,
    },
    new CountQueuingStrategy({ highWaterMark: BACKLOG_MAX }),
  )
}
