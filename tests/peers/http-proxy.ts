/** A request that went through a proxy. */
export interface ForwardedRequest {
  readonly method: string
  /** With its query, as sent. */
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/**
 * Handles a request: `forward` sends it and answers what came back. It may be sent once, never or late, and the answer may be
 * another one.
 */
export type Passage = (
  request: ForwardedRequest,
  forward: () => Promise<Response>,
  /** How many requests came before. */
  index: number,
) => Promise<Response>

export interface HttpProxy extends Disposable {
  readonly url: string
  /** In the order of their arrival. */
  readonly requests: readonly ForwardedRequest[]
  /** The requests since the last call, as `METHOD path`. */
  take(): readonly string[]
}

/** A way to an HTTP server that notes each request and can meddle with it. */
export function startHttpProxy(
  target: string,
  pass: Passage = (_request, forward) => forward(),
): HttpProxy {
  const requests: ForwardedRequest[] = []
  let taken = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(incoming) {
      const { pathname, search } = new URL(incoming.url)
      const { method } = incoming
      const headers = new Headers(incoming.headers)
      for (const name of ['host', 'connection', 'content-length']) headers.delete(name)
      const path = `${pathname}${search}`
      const request = { method, path, headers, body: await incoming.text() }
      const index = requests.push(request) - 1
      const forward = async () => {
        const answer = await fetch(`${target}${request.path}`, {
          method,
          headers,
          redirect: 'manual',
          ...(request.body !== '' && { body: request.body }),
        })
        const body = await answer.arrayBuffer()
        const type = answer.headers.get('content-type')
        return new Response(body.byteLength === 0 ? null : body, {
          status: answer.status,
          ...(type !== null && { headers: { 'content-type': type } }),
        })
      }
      return pass(request, forward, index)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    take() {
      const fresh = requests.slice(taken)
      taken = requests.length
      return fresh.map(({ method, path }) => `${method} ${path}`)
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
}
