/** The parts of a `postgres:` URL that a finding may name. */
export interface DatabaseAddress {
  /** `DATABASE_URL` or `DATABASE_LISTEN_URL`. */
  readonly variable: string
  readonly url: string
  readonly host: string
  readonly port: number
  /** `host:port`. */
  readonly server: string
  readonly role: string
  readonly database: string
  /** As the URL says; `null`: it does not say. */
  readonly sslMode: string | null
  readonly isLocal: boolean
}

const POSTGRES_PORT = 5432
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/

/** `undefined`: not a URL. */
export function readAddress(variable: string, text: string): DatabaseAddress | undefined {
  const url = URL.parse(text)
  if (url === null) return undefined
  const host = url.hostname || 'localhost'
  const port = url.port === '' ? POSTGRES_PORT : Number(url.port)
  return {
    variable,
    url: text,
    host: host.replace(/^\[|\]$/g, ''),
    port,
    server: `${host}:${port}`,
    role: decoded(url.username),
    database: decoded(url.pathname.slice(1)),
    sslMode: url.searchParams.get('sslmode'),
    isLocal: LOOPBACK.test(host),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
