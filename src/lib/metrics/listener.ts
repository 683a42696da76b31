import { isIP } from 'node:net'
import { securityHeaders } from '../http/security-headers.ts'
import { listenFailure } from '../listen-failure.ts'
import { err, ok, type Result } from '../result.ts'

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const IDLE_TIMEOUT_SECONDS = 120
const BODY_BYTES_MAX = 1_024
const PATH = '/metrics'

/**
 * Names that an attacker cannot register: without a dot, or of services in a cluster. A browser sends the name of its page, also
 * after DNS rebinding; nothing else distinguishes it from a scraper, because Fetch metadata is sent over TLS only.
 */
const LOCAL_NAME = /^[^.]+$|\.svc(?:\.cluster\.local)?$/

const isLocal = (hostname: string): boolean =>
  LOCAL_NAME.test(hostname) || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0

/**
 * Opens a socket that answers `GET /metrics` and nothing else, without a session: metrics contain no personal data. It stays open until
 * the process ends. `allowedHosts`: accepted values of `Host`, besides addresses and names of a local network. `text` renders the text
 * format of Prometheus. A failure is the reason why it cannot listen.
 */
export function listenForScrapes(
  host: string,
  port: number,
  allowedHosts: readonly string[],
  text: () => Promise<string>,
): Result<void, string> {
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()))
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
        const sentHost = headers.get('host')?.toLowerCase() ?? ''
        if (!isLocal(hostname) && !allowed.has(sentHost)) return answer(421, '')
        if (pathname !== PATH) return answer(404, '')
        if (method !== 'GET' && method !== 'HEAD') return answer(405, '', { allow: 'GET, HEAD' })
        return answer(200, await text())
      },
      error: () => answer(500, ''),
    })
    return ok(undefined)
  } catch (error) {
    return err(listenFailure(error, 'METRICS_PORT'))
  }
}
