import { certificateFault, isRefusedCertificate } from '../../../outbound/connection-codes.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'

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
