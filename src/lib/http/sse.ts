import { setImmediate } from 'node:timers/promises'

/** Proxies give up on a connection that is quiet; thirty seconds is the shortest patience in common use. */
const HEARTBEAT_MS = 10_000
/** How soon a client that lost us comes again. */
const RETRY_MS = 2_000

export interface SentEvent {
  /** For `Last-Event-ID`. Whole numbers, counting up. */
  readonly seq: number
  readonly event: string
  /** JSON, one line. */
  readonly data: string
}

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The service is going down: clients are told to come again, to whoever is there then. */
  readonly stopping: AbortSignal
  readonly heartbeatMs?: number
}

/**
 * Events as a stream (WHATWG HTML §9.2), from a source that is asked for the next one only when the client has taken the last.
 * Headers and a first line leave at once. The source's signal ends with the stream, whoever ends that.
 */
export function eventStream(
  source: (signal: AbortSignal) => AsyncIterable<SentEvent>,
  { headers = {}, stopping, heartbeatMs = HEARTBEAT_MS }: StreamOptions,
): Response {
  const over = new AbortController()
  // Begun at once, so that a source always hears of its end, even from a client that leaves before the first event.
  const events = source(over.signal)[Symbol.asyncIterator]()
  return new Response(framesOf(events, { over, stopping, heartbeatMs }), {
    headers: { ...eventStreamHeaders, ...headers },
  })
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

interface Ends {
  /** Ends the source. */
  readonly over: AbortController
  readonly stopping: AbortSignal
  readonly heartbeatMs: number
}

const encoder = new TextEncoder()
const RETRY = encoder.encode(`retry: ${RETRY_MS}\n\n`)
const BEAT = encoder.encode(': still here\n\n')
const GOING_DOWN = encoder.encode(': the service is going down, come again\n\n')

/** Streams are many and quiet for hours: while nothing happens, one holds a timer, and a question to its source. */
function framesOf(
  events: AsyncIterator<SentEvent>,
  { over, stopping, heartbeatMs }: Ends,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let begun: { readonly beat: Timer; readonly goDown: () => void } | undefined

  function end(): void {
    clearInterval(begun?.beat)
    if (begun !== undefined) stopping.removeEventListener('abort', begun.goDown)
    begun = undefined
    over.abort()
    // Whoever reads is gone: there is nobody to tell of a failure.
    events.return?.().catch(() => undefined)
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async start(controller) {
        controller.enqueue(RETRY)
        const beat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(BEAT)
        }, heartbeatMs)
        const goDown = () => {
          controller.enqueue(GOING_DOWN)
          controller.close()
          end()
        }
        begun = { beat, goDown }
        stopping.addEventListener('abort', goDown)
        if (stopping.aborted) goDown()
        // What is written in the first turn behind it Bun would copy, and keep the room for as long as the stream.
        await setImmediate()
      },
      async pull(controller) {
        try {
          const next = await events.next()
          if (begun === undefined) return
          if (next.done !== true) {
            begun.beat.refresh()
            controller.enqueue(encoder.encode(frame(next.value)))
            return
          }
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        end()
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  )
}

const frame = ({ seq, event, data }: SentEvent): string =>
  `id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`

/** Where a client that comes again left off: the header that browsers send, or the query parameter for who has no header. */
export function lastSeen(request: Request, after: number | undefined): number {
  const header = request.headers.get('last-event-id') ?? ''
  return /^\d{1,9}$/.test(header) ? Number(header) : (after ?? 0)
}
