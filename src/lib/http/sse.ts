import { setTimeout as sleep } from 'node:timers/promises'

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
 * Headers and a first line leave at once. The source ends when the client leaves.
 */
export function eventStream(
  source: (signal: AbortSignal) => AsyncIterable<SentEvent>,
  { headers = {}, stopping, heartbeatMs = HEARTBEAT_MS }: StreamOptions,
): Response {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, stopping])
  // Begun at once, so that a source always hears of its end, even from a client that leaves before the first event.
  const events = source(signal)[Symbol.asyncIterator]()
  const chunks = framesOf(events, { signal, stopping }, heartbeatMs)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        left.abort()
        await chunks.return()
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
}

const encoder = new TextEncoder()
const BEAT = ': still here\n\n'
const GOING_DOWN = ': the service is going down, come again\n\n'

async function* framesOf(
  events: AsyncIterator<SentEvent>,
  { signal, stopping }: Readonly<Record<'signal' | 'stopping', AbortSignal>>,
  heartbeatMs: number,
): AsyncGenerator<string, void, void> {
  yield `retry: ${RETRY_MS}\n\n`
  try {
    let next = events.next()
    for (;;) {
      const quiet = new AbortController()
      const beat = sleep(heartbeatMs, 'beat' as const, { signal: quiet.signal }).catch(
        () => 'beat' as const,
      )
      const got = await Promise.race([next, beat])
      quiet.abort()
      if (stopping.aborted) yield GOING_DOWN
      if (signal.aborted) return
      if (got === 'beat') {
        yield BEAT
        continue
      }
      if (got.done === true) return
      yield frame(got.value)
      next = events.next()
    }
  } finally {
    void events.return?.()
  }
}

const frame = ({ seq, event, data }: SentEvent): string =>
  `id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`

/** Where a client that comes again left off: the header that browsers send, or the query parameter for who has no header. */
export function lastSeen(request: Request, after: number | undefined): number {
  const header = request.headers.get('last-event-id') ?? ''
  return /^\d{1,9}$/.test(header) ? Number(header) : (after ?? 0)
}
