/** Called before each request of the store. A response of its own keeps the request from the server. */
type Intervention = (method: string, path: string, headers: Headers) => Promise<Response | void>

export interface Front extends AsyncDisposable {
  readonly url: string
  /** `method path` of each request, in order. */
  readonly requests: readonly string[]
  intervene(intervention: Intervention): void
}

/** An address in front of a server, at which tests act between the requests of one call. */
export function startFront(target: string): Front {
  const requests: string[] = []
  let intervention: Intervention = () => Promise.resolve()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const path = `${pathname}${search}`
      requests.push(`${request.method} ${path}`)
      const body = await request.bytes()
      const answer = await intervention(request.method, path, request.headers)
      if (answer !== undefined) return answer
      const { method, headers } = request
      return fetch(`${target}${path}`, { method, headers, ...(body.length > 0 && { body }) })
    },
  })
  return {
    url: server.url.href.slice(0, -1),
    requests,
    intervene(next) {
      intervention = next
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}
