/**
 * Streams of pages with nothing but Bun: each forwards two watches of an API server, and what is posted here is sent to all. Arguments:
 * port of the API server, its authority. Prints its port.
 */
const [apiPort = '', pem = ''] = process.argv.slice(2)
const API = `https://127.0.0.1:${apiPort}`
const WATCHES = [
  '/api/v1/namespaces/pods-5/pods?watch=true',
  '/apis/apps/v1/namespaces/pods-5/deployments?watch=true',
]
const pages = new Set<ReadableStreamDefaultController<string>>()

async function forward(
  path: string,
  page: ReadableStreamDefaultController<string>,
  signal: AbortSignal,
): Promise<void> {
  const tls = { ca: pem, rejectUnauthorized: true }
  const { body } = await fetch(`${API}${path}`, { tls, signal })
  if (body === null) return
  for await (const part of body.pipeThrough(new TextDecoderStream())) page.enqueue(part)
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === 'POST') {
      const text = await request.text()
      for (const page of pages) page.enqueue(text)
      return new Response()
    }
    const { signal } = request
    const stream = new ReadableStream<string>({
      start(page) {
        pages.add(page)
        signal.addEventListener('abort', () => pages.delete(page))
        for (const path of WATCHES) void forward(path, page, signal).catch(() => undefined)
      },
    })
    return new Response(stream.pipeThrough(new TextEncoderStream()), {
      headers: { 'content-type': 'text/event-stream' },
    })
  },
})
console.log(JSON.stringify({ port: server.port }))
