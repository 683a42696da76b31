import { ok } from '../../result.ts'
import { type Fault, fault, type Reader } from '../../yaml/strict-reader.ts'

const LENGTH_MAX = 2_000
const DEFAULT_PORT = '443'

/** Reads the URL of an API server. The result has a port and no trailing slash, and paths can be appended to it. */
export const apiServer: Reader<string> = (value, at) => {
  const text = typeof value === 'string' && value.length <= LENGTH_MAX ? value : ''
  const url = URL.parse(text)
  if (url === null || HAS_BLANKS.test(text)) return fault(at, 'must be a URL')
  if (url.protocol !== 'https:') return fault(at, 'must begin with https://')
  const [, authority] = AUTHORITY.exec(text) ?? []
  if (authority === undefined) return fault(at, 'must be a URL')

  const faults: Fault[] = []
  if (authority.includes('@')) faults.push({ at, message: 'must not name a user' })
  if (text.includes('?')) faults.push({ at, message: 'must not have a query' })
  if (text.includes('#')) faults.push({ at, message: 'must not have a fragment' })
  if (faults.length > 0) return { ok: false, error: faults }

  const path = url.pathname.replace(/\/+$/, '')
  return ok(`https://${url.hostname}:${url.port || DEFAULT_PORT}${path}`)
}

/** URL parsers drop some blanks and read a backslash as a slash. */
const HAS_BLANKS = /[\s\\\p{Cc}]/u
/** URL parsers accept any number of slashes. */
const AUTHORITY = /^https:\/\/([^/?#]+)/i
