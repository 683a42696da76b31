import type { Attributes, Span } from './span.ts'

const QUEUE_MAX = 2_048
const BATCH_MAX = 512
const SEND_EVERY_MS = 5_000
const DEADLINE_MS = 10_000
/** The shutdown does not wait longer for a collector. */
const CLOSE_MS = 1_000
const ERROR = 2

export interface ExporterOptions {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Attributes of this service. */
  readonly resource: Attributes
  readonly version: string
  /** Called after each request: `null` when the collector took it, else why not, and how many spans were dropped since it took one. */
  readonly onSent: (failure: string | null, dropped: number) => void
}

/**
 * Sends spans as OTLP over HTTP, in JSON. A span waits in a queue of fixed length; what does not fit, and what the collector did not
 * take, is dropped and counted: a collector that is away costs nothing.
 */
export function createExporter({ url, headers, resource, version, onSent }: ExporterOptions) {
  let queue: Span[] = []
  let dropped = 0
  let sending: Promise<void> | undefined
  let isAway = false

  async function sendAll(deadlineMs: number): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_MAX)
      queue = queue.slice(BATCH_MAX)
      const failure = await post(bodyOf(batch, resource, version), deadlineMs)
      if (failure !== null) dropped += batch.length
      onSent(failure, dropped)
      isAway = failure !== null
      if (isAway) return
      dropped = 0
    }
  }

  async function post(body: string, deadlineMs: number): Promise<string | null> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMs),
      })
      await response.body?.cancel()
      return response.ok ? null : `status ${response.status}`
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      return typeof code === 'string' ? code : 'no answer'
    }
  }

  function send(deadlineMs = DEADLINE_MS): Promise<void> {
    sending ??= sendAll(deadlineMs).finally(() => {
      sending = undefined
    })
    return sending
  }

  const timer = setInterval(() => void send(), SEND_EVERY_MS)
  timer.unref()

  return {
    add: (span: Span): void => {
      if (queue.length >= QUEUE_MAX) {
        dropped += 1
        return
      }
      queue.push(span)
      if (queue.length >= BATCH_MAX && !isAway) void send()
    },
    /** Sends what waits, for a second at most. */
    close: async (): Promise<void> => {
      clearInterval(timer)
      await Promise.race([send(CLOSE_MS), Bun.sleep(CLOSE_MS)])
    },
  }
}

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))

/** Nanoseconds as text, as JSON of Protocol Buffers has 64-bit integers; exact to a microsecond. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1_000)}000`

const bodyOf = (spans: readonly Span[], resource: Attributes, version: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'portico', version }, spans: spans.map(spanOf) }],
      },
    ],
  })

const spanOf = ({
  traceId,
  spanId,
  parentId,
  kind,
  name,
  startedAt,
  endedAt,
  attributes,
  failure,
}: Span) => ({
  traceId,
  spanId,
  ...(parentId !== null && { parentSpanId: parentId }),
  name,
  kind,
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(endedAt),
  attributes: attributesOf({ ...attributes, ...(failure !== null && { 'error.type': failure }) }),
  status: failure === null ? {} : { code: ERROR },
})
