import type { DatabaseAddress } from './address.ts'
import type { DialFailure } from './dial.ts'

/** Sentences for what keeps us from the database. They name server, role and database, never a password. */

export function dialFailureText(failure: DialFailure, at: DatabaseAddress): string {
  switch (failure) {
    case 'host_not_found':
      return `The host name ${at.host} in ${at.variable} cannot be resolved.`
    case 'refused':
      return `Nothing listens on ${at.server}: the connection is refused. Is PostgreSQL running, and is the port of ${at.variable} right?`
    case 'no_way':
      return `There is no way to ${at.server}: a firewall or a network policy may be in between.`
    case 'silent':
      return `${at.server} accepts connections but does not answer.`
    case 'not_postgres':
      return `${at.server} answers, but not as PostgreSQL does.`
  }
}

/** The driver's error, in words. The driver's own messages may quote what was sent, so only its codes are used. */
export function refusalText(error: unknown, at: DatabaseAddress, authority: string | null): string {
  const { code, sqlState } = codesOf(error)
  return (
    stateText(sqlState, at) ??
    certificateText(code, at, authority) ??
    codeTexts[code]?.(at) ??
    `PostgreSQL at ${at.server} cannot be used (${[code, sqlState].join(' ').trim()}).`
  )
}

function codesOf(error: unknown): { readonly code: string; readonly sqlState: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  const sqlState = 'errno' in error && typeof error.errno === 'string' ? error.errno : ''
  return { code: error.code, sqlState }
}

function stateText(sqlState: string, at: DatabaseAddress): string | undefined {
  switch (sqlState) {
    case '28P01':
      return `PostgreSQL refuses the password of the role ${at.role} in ${at.variable}.`
    case '28000':
      return `PostgreSQL refuses the role ${at.role}: it does not exist, or no line of pg_hba.conf lets it in from here${at.sslMode === null ? ' without TLS' : ''}.`
    case '3D000':
      return `There is no database ${at.database} on ${at.server}.`
    case '42501':
      return `The role ${at.role} may not connect to the database ${at.database}: GRANT CONNECT.`
    case '53300':
      return `PostgreSQL has no connection left (max_connections): a pooler in front of it helps.`
    case '57P03':
      return `PostgreSQL at ${at.server} is starting or stopping.`
    default:
      return undefined
  }
}

const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]

function certificateText(
  code: string,
  at: DatabaseAddress,
  authority: string | null,
): string | undefined {
  if (UNKNOWN_AUTHORITY.includes(code)) {
    return authority === null
      ? `The certificate of ${at.server} is of an authority that this machine does not know: name it in DATABASE_CA_FILE.`
      : `The certificate of ${at.server} is not of the authority in DATABASE_CA_FILE.`
  }
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${at.server} has expired.`
  if (code === 'CERT_NOT_YET_VALID') {
    return `The certificate of ${at.server} is not valid yet: is the clock of this machine right?`
  }
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? `The certificate of ${at.server} is for another name than ${at.host}.`
    : undefined
}

const codeTexts: Readonly<Record<string, (at: DatabaseAddress) => string>> = {
  ERR_POSTGRES_TLS_NOT_AVAILABLE: ({ server, variable, sslMode }) =>
    sslMode === null
      ? `The server ${server} offers no TLS, which Portico asks of every other machine: switch it on there (ssl = on). In a network that you trust, add ?sslmode=disable to ${variable}.`
      : `${variable} asks for TLS, and the server ${server} offers none (ssl = off).`,
  ERR_POSTGRES_CONNECTION_TIMEOUT: (at) => dialFailureText('silent', at),
  ERR_POSTGRES_CONNECTION_REFUSED: (at) => dialFailureText('refused', at),
  ERR_POSTGRES_CONNECTION_CLOSED: ({ server }) => `${server} closes the connection at the sign-in.`,
  ERR_INVALID_ARG_VALUE: ({ variable }) =>
    `The driver does not know a parameter in ${variable}; sslmode is one of disable, prefer, require, verify-ca and verify-full.`,
}
