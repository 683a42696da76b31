/** A load balancer without stickiness: each request goes to the next replica that is ready. */
export interface RoundRobin extends AsyncDisposable {
  readonly url: string
  /** From now on the requests go to these replicas. */
  use(urls: readonly string[]): void
}

const CHECK_EVERY_MS = 100
const REFUSED = new Set(['ConnectionRefused', 'ECONNREFUSED'])

/**
 * Asks `/readyz` of each replica, as a load balancer does, and sends nothing to one that is not ready. A request that a replica did
 * not accept goes to the next one; one that was accepted is never repeated.
 */
export function startRoundRobin(urls: readonly string[]): RoundRobin {
  let replicas = urls.map((url) => ({ url, isReady: true }))
  let turn = 0

  async function check(replica: { readonly url: string; isReady: boolean }): Promise<void> {
    const ready = await fetch(`${replica.url}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(
      () => undefined,
    )
    replica.isReady = ready?.status === 200
  }
  const timer = setInterval(
    () => replicas.forEach((replica) => void check(replica)),
    CHECK_EVERY_MS,
  )

  async function forward(request: Request, body: ArrayBuffer | null): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const ready = replicas.filter(({ isReady }) => isReady)
    const candidates = ready.length === 0 ? replicas : ready
    for (let attempt = 0; attempt < candidates.length; attempt++) {
      turn += 1
      const replica = candidates[turn % candidates.length]
      if (replica === undefined) break
      try {
        return await fetch(`${replica.url}${pathname}${search}`, {
          method: request.method,
          headers: request.headers,
          body,
          redirect: 'manual',
          signal: request.signal,
          decompress: false,
          // A kept connection may end while the request is on its way, which cannot be told from a lost answer.
          keepalive: false,
        })
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        if (!REFUSED.has(code)) return new Response(code, { status: 599 })
        replica.isReady = false
      }
    }
    return new Response('no replica', { status: 598 })
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    development: false,
    // The answer of a replica that ended in the middle; its client sees the broken connection.
    error: () => new Response(null, { status: 599 }),
    async fetch(request) {
      const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
      return forward(request, hasBody ? await request.arrayBuffer() : null)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    use(urls) {
      replicas = urls.map((url) => ({ url, isReady: true }))
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await server.stop(true)
    },
  }
}
