import { type ConnectionFinding, works } from '../../../ports/connection-finding.ts'
import { err, ok, type Result } from '../../../result.ts'
import { refuse } from '../engine.ts'
import { type PostgresTls, tlsOf } from '../postgres-tls.ts'
import { refusalText, type ServerNames } from './refusal.ts'

export interface DatabaseToCheck {
  /** `DATABASE_URL`. */
  readonly url: string
  /** `DATABASE_LISTEN_URL`. */
  readonly listenUrl: string | null
  /** The authority of `DATABASE_CA_FILE`, in PEM. */
  readonly authority: string | null
}

/** The TLS of a connection to each URL, or the reason why a URL cannot be used. Connects to nothing. */
export function checkDatabaseUrls({
  url,
  listenUrl,
  authority,
}: DatabaseToCheck): Result<readonly ConnectionFinding[], string> {
  if (url.startsWith('sqlite:')) return ok([])
  const findings: ConnectionFinding[] = []
  const given = Object.entries({ DATABASE_URL: url, DATABASE_LISTEN_URL: listenUrl })
  for (const [variable, text] of given) {
    if (text === null) continue
    const server = namesIn(variable, text)
    if (!server.ok) return err(withoutFullStop(server.error))
    try {
      const tls = tlsOf(text, authority)
      if (!tls.ok) return err(`${variable}: ${tls.error.reason}`)
      findings.push(tlsFinding(text, tls.value, server.value))
    } catch (error) {
      return err(withoutFullStop(refusalText(refuse(error).error, server.value)))
    }
  }
  return ok(findings)
}

const withoutFullStop = (sentence: string): string => sentence.replace(/\.$/, '')

export function namesIn(variable: string, text: string): Result<ServerNames, string> {
  const url = URL.parse(text)
  if (url === null) return err(`${variable} is not a URL.`)
  const server = `${url.hostname || 'localhost'}:${url.port || '5432'}`
  return ok({ variable, server, role: url.username, database: url.pathname.slice(1) })
}

const VERIFIED = /[?&]sslmode=verify-/i

/** Whether passwords and sessions are encrypted on their way. */
export function tlsFinding(
  url: string,
  tls: PostgresTls,
  { server, variable }: ServerNames,
): ConnectionFinding {
  if (tls === 'disable') {
    return works('The connection is not encrypted; it does not leave this machine.')
  }
  return tls !== undefined || VERIFIED.test(url)
    ? works(`The connection to ${server} is encrypted, and its certificate is checked.`)
    : works(
        `${variable} allows a connection to ${server} that is not encrypted, or goes to whoever answers: DATABASE_CA_FILE or sslmode=verify-full checks the certificate.`,
      )
}
