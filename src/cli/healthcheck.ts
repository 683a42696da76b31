import { settings } from '../config/table.ts'
import { readBody } from '../lib/outbound/read-body.ts'

const TIMEOUT_MS = 2_000
/** Body of `/healthz`. Another answer means that another program listens on the port. */
const ALIVE = '{"status":"ok"}'

/** Checks the liveness of the service on this machine. The request uses no proxy and follows no redirect. */
export async function isAlive(
  variables: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { HOST = '0.0.0.0', PORT = settings.PORT.fallback } = variables
  const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}/healthz`
  try {
    const response = await fetch(url, {
      proxy: false,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status !== 200) return false
    return (await readBody(response.body, ALIVE.length))?.toString() === ALIVE
  } catch {
    return false
  }
}
