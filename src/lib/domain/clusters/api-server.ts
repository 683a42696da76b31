import { ok } from '../../result.ts'
import { type Fault, fault, type Reader } from './strict-reader.ts'

const LENGTH_MAX = 2_000
const DEFAULT_PORT = '443'

/** Where an API server is: always with its port, never with anything that is not part of every address below it. */
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

/** A URL parser drops some of them and takes a backslash for a slash. */
const HAS_BLANKS = /[\s\\\p{Cc}]/u
/** A URL parser would take any number of slashes. */
const AUTHORITY = /^https:\/\/([^/?#]+)/i
