import { isIP } from 'node:net'
import { securityHeaders } from '../http/security-headers.ts'
import { err, ok, type Result } from '../result.ts'

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  /** Values of the Host header that are served besides addresses and names of a local network. */
  readonly allowedHosts: readonly string[]
  /** In the text format of Prometheus. */
  readonly text: () => Promise<string>
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const IDLE_TIMEOUT_SECONDS = 120
const BODY_BYTES_MAX = 1_024
const PATH = '/metrics'

/**
 * Names that no domain of a stranger has: without a dot, or of services in a cluster. A browser whose page's name was made to mean
 * this address (DNS rebinding) says that name, and nothing else tells it from a scraper: Fetch metadata is sent over TLS only.
 */
const LOCAL_NAME = /^[^.]+$|\.svc(?:\.cluster\.local)?$/

const isLocal = (hostname: string): boolean =>
  LOCAL_NAME.test(hostname) || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0

/**
 * A socket of its own that answers `GET /metrics` and nothing else, for those who may reach it: there is no session, and no
 * person's data either. Open until the process ends. A failure says why it cannot listen.
 */
export function listenForScrapes({
  host,
  port,
  allowedHosts,
  text,
}: ListenerOptions): Result<void, string> {
  const allowed = new Set(allowedHosts.map((each) => each.toLowerCase()))
  const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
    new Response(body, {
      status,
      headers: {
        ...securityHeaders,
        'cache-control': 'no-store',
        'content-type': CONTENT_TYPE,
        ...headers,
      },
    })
  try {
    Bun.serve({
      hostname: host,
      port,
      reusePort: false,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: BODY_BYTES_MAX,
      async fetch({ url, method, headers }) {
        const { hostname, pathname } = URL.parse(url) ?? { hostname: '', pathname: '' }
        const given = headers.get('host')?.toLowerCase() ?? ''
        if (!isLocal(hostname) && !allowed.has(given)) return answer(421, '')
        if (pathname !== PATH) return answer(404, '')
        if (method !== 'GET' && method !== 'HEAD') return answer(405, '', { allow: 'GET, HEAD' })
        return answer(200, await text())
      },
      error: () => answer(500, ''),
    })
    return ok(undefined)
  } catch (error) {
    const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    return err(isInUse ? 'the port is in use; choose another with METRICS_PORT' : String(error))
  }
}
