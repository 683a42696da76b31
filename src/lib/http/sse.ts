import { setImmediate } from 'node:timers/promises'

/** Proxies close idle connections; the shortest common timeout is thirty seconds. */
const HEARTBEAT_MS = 10_000
/** Reconnection time of clients. */
const RETRY_MS = 2_000

export interface SentEvent {
  /** Value of `Last-Event-ID`: one line. */
  readonly id: string | number
  readonly event: string
  /** JSON on one line. */
  readonly data: string
}

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Aborted when the service shuts down: streams end, and clients reconnect to another replica or to the restarted one. */
  readonly stopping: AbortSignal
  /** Receives a function that ends the stream. Returns a function that is called when the stream has ended. */
  readonly endWith?: (end: () => void) => () => void
  readonly heartbeatMs?: number
}

/**
 * Sends events as a stream (WHATWG HTML §9.2), with backpressure: the next event is pulled when the client has taken the last.
 * Headers and a first line are sent at once. The source's signal aborts when the stream ends for any reason.
 */
export function eventStream(
  source: (signal: AbortSignal) => AsyncIterable<SentEvent>,
  { headers = {}, ...life }: StreamOptions,
): Response {
  const ended = new AbortController()
  // Created now, so that `return` reaches it even when the client leaves before the first event.
  const events = source(ended.signal)[Symbol.asyncIterator]()
  return new Response(framesOf(events, ended, life), {
    headers: { ...eventStreamHeaders, ...headers },
  })
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

const encoder = new TextEncoder()
const RETRY = encoder.encode(`retry: ${RETRY_MS}\n\n`)
const BEAT = encoder.encode(': still here\n\n')
const GOING_DOWN = encoder.encode(': the service is going down, come again\n\n')

/** Aborts `ended` when the stream ends. Holds only a timer and a pending read per stream, because there are many streams that are idle for hours. */
function framesOf(
  events: AsyncIterator<SentEvent>,
  ended: AbortController,
  { stopping, endWith, heartbeatMs = HEARTBEAT_MS }: Omit<StreamOptions, 'headers'>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let started:
    | {
        readonly beat: Timer
        readonly goDown: () => void
        readonly unregister: (() => void) | undefined
      }
    | undefined

  function end(): void {
    clearInterval(started?.beat)
    if (started !== undefined) stopping.removeEventListener('abort', started.goDown)
    started?.unregister?.()
    started = undefined
    ended.abort()
    // A failure is ignored: the client is gone.
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
        const unregister = endWith?.(() => {
          controller.close()
          end()
        })
        started = { beat, goDown, unregister }
        stopping.addEventListener('abort', goDown)
        if (stopping.aborted) goDown()
        // The first event gets a turn of its own: Bun copies chunks of one turn, and keeps that memory as long as the stream.
        await setImmediate()
      },
      async pull(controller) {
        try {
          const next = await events.next()
          if (started === undefined) return
          if (next.done !== true) {
            started.beat.refresh()
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

const frame = ({ id, event, data }: SentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`

/** Last event that a reconnecting client has seen: from the header of browsers, else from the query parameter. */
export function lastSeen(request: Request, after: number | undefined): number {
  const header = request.headers.get('last-event-id') ?? ''
  return /^\d{1,9}$/.test(header) ? Number(header) : (after ?? 0)
}
