import { type ConnectionFinding, works } from '../../../ports/connection-finding.ts'
import { err, ok, type Result } from '../../../result.ts'
import { refuse } from '../engine.ts'
import { type PostgresTls, tlsOf } from '../postgres-tls.ts'
import { certificateFault, isRefusedCertificate } from '../../../outbound/connection-codes.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'

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

/** The parts of a `postgres:` URL that a finding may show: never the password. */
export interface ServerNames {
  /** `DATABASE_URL` or `DATABASE_LISTEN_URL`. */
  readonly variable: string
  /** `host:port`. */
  readonly server: string
  readonly role: string
  readonly database: string
}

/** A sentence for a failure. Messages of the driver may quote what was sent, so only its codes are used. */
export function refusalText({ reason }: DatabaseFailure, names: ServerNames): string {
  const [code = ''] = reason.split(' ')
  if (isRefusedCertificate(code)) {
    const remedy = 'DATABASE_CA_FILE must name the one that signed it'
    return `The certificate of ${names.server} ${certificateFault(code, remedy)}.`
  }
  const [sentence] = reason.split(' ').flatMap((code) => SENTENCES[code] ?? [])
  return sentence?.(names) ?? `PostgreSQL at ${names.server} cannot be used (${reason}).`
}

type Sentence = (names: ServerNames) => string

const unreachable: Sentence = ({ server, variable }) =>
  `${server} cannot be reached: check the host name and port in ${variable}, whether PostgreSQL is running there, and the firewalls and network policies in between.`

/** By the driver's code, or the SQLSTATE of the server. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  ERR_POSTGRES_CONNECTION_REFUSED: unreachable,
  ERR_POSTGRES_CONNECTION_FAILED: unreachable,
  ERR_POSTGRES_CONNECTION_CLOSED: unreachable,
  ERR_POSTGRES_CONNECTION_TIMEOUT: ({ server }) =>
    `${server} does not answer: it hangs, or a firewall or network policy is in between.`,
  ERR_POSTGRES_UNEXPECTED_MESSAGE: ({ server }) => `${server} is not a PostgreSQL server.`,
  ERR_POSTGRES_TLS_NOT_AVAILABLE: ({ server, variable }) =>
    `${server} offers no TLS: switch it on there (ssl = on). In a network that you trust, add ?sslmode=disable to ${variable}.`,
  ERR_INVALID_ARG_VALUE: ({ variable }) =>
    `${variable} has a parameter that the driver does not know; sslmode is disable, prefer, require, verify-ca or verify-full.`,
  '28P01': ({ role, variable }) =>
    `PostgreSQL refuses the password of the role ${role} in ${variable}.`,
  '28000': ({ role }) =>
    `PostgreSQL refuses the role ${role}: it does not exist, or pg_hba.conf does not let it in from here.`,
  '3D000': ({ database, server }) => `There is no database ${database} on ${server}.`,
  '42501': ({ role, database }) =>
    `The role ${role} may not connect to the database ${database}: GRANT CONNECT.`,
  '53300': () =>
    'PostgreSQL has no connection left: raise max_connections, or put a pooler in front of it.',
}
