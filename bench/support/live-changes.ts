/** A proxy before a portal that adds changes to the event stream: an hour of them in seconds. */
import { eventsOf } from '#tests/support/event-stream.ts'

const BATCH = 20

interface Item {
  readonly uid: string
  readonly [field: string]: unknown
}

export function startLiveChanges(url: string) {
  const lists = new Map<string, readonly Item[]>()
  let write: ((event: string, data: unknown) => void) | undefined
  const encoder = new TextEncoder()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.delete('host')
      const answer = await fetch(`${url}${pathname}${search}`, {
        method: request.method,
        headers,
        redirect: 'manual',
        decompress: false,
        signal: request.signal,
      })
      if (pathname !== '/api/v1/events' || !answer.ok) return answer
      const body = new ReadableStream({
        async start(controller) {
          write = (event, data) =>
            controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
          try {
            for await (const { event, data } of eventsOf(answer)) {
              keep(data)
              write(event, data)
            }
          } catch {
            // The page has another stream by now.
          }
        },
      })
      return new Response(body, { headers: answer.headers })
    },
  })

  /** Items of the lists, which changes are made of. */
  function keep(data: Readonly<Record<string, unknown>>): void {
    const { topic, type, value } = data
    if (typeof topic !== 'string' || type !== 'snapshot' || !hasItems(value)) return
    lists.set(topic, [...(lists.get(topic) ?? []), ...value.items])
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Sends changes of the watched objects, each with another count of restarts or another revision. */
    async send(count: number): Promise<number> {
      const known = [...lists].flatMap(([topic, items]) => items.map((item) => ({ topic, item })))
      if (write === undefined) throw new Error('the page has no stream')
      for (let sent = 0; sent < count; sent++) {
        const next = known[sent % known.length]
        if (next === undefined) throw new Error('the page watches no list')
        const { topic, item } = next
        const changed = { ...item, restarts: sent, resourceVersion: String(1_000_000 + sent) }
        write(topic.split(':')[0] ?? '', { topic, type: 'set', value: changed })
        if (sent % BATCH === 0) await Bun.sleep(4)
      }
      return known.length
    },
    stop: () => server.stop(true),
  }
}

const hasItems = (value: unknown): value is { readonly items: readonly Item[] } =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)
