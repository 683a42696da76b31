import { securityHeaders } from '../http/security-headers.ts'
import { err, ok, type Result } from '../result.ts'

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  /** In the text format of Prometheus. */
  readonly text: () => Promise<string>
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const IDLE_TIMEOUT_SECONDS = 120
const BODY_BYTES_MAX = 1_024
const PATH = '/metrics'

/**
 * A socket of its own that answers `GET /metrics` and nothing else, for those who may reach it: there is no session, and no
 * person's data either. Open until the process ends. A failure says why it cannot listen.
 */
export function listenForScrapes({ host, port, text }: ListenerOptions): Result<void, string> {
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
      async fetch({ url, method }) {
        if (URL.parse(url)?.pathname !== PATH) return answer(404, '')
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
