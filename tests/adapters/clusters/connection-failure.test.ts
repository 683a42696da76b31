import { expect, test } from 'bun:test'
import { connectionFailure } from '#src/lib/adapters/clusters/kubernetes/failures.ts'

const unreachable = (reason: string) => ({ kind: 'cluster_unreachable', reason }) as const
const broken = (reason: string) => ({ kind: 'cluster_error', reason }) as const

// prettier-ignore
test.each<[string, object]>([
  ['ECONNREFUSED',            unreachable('connection_refused')],
  ['ConnectionRefused',       unreachable('connection_refused')],
  ['ECONNRESET',              unreachable('connection_reset')],
  ['ConnectionClosed',        unreachable('connection_reset')],
  ['ENOTFOUND',               unreachable('host_not_found')],
  ['EAI_AGAIN',               unreachable('host_not_found')],
  ['DNSResolveFailed',        unreachable('host_not_found')],
  ['ETIMEDOUT',               unreachable('other')],
  ['ANYTHING_ELSE',           unreachable('other')],
  ['CERT_HAS_EXPIRED',        { kind: 'cluster_tls_error', reason: 'CERT_HAS_EXPIRED' }],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { kind: 'cluster_tls_error', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ['ZlibError',               broken('ZlibError')],
  ['BrotliDecompressionError', broken('BrotliDecompressionError')],
  ['ZstdDecompressionError',  broken('ZstdDecompressionError')],
  ['InvalidHTTPResponse',     broken('InvalidHTTPResponse')],
])('%s', (code, expected) => {
  const thrown = Object.assign(new TypeError('to https://10.0.0.1:6443 with a.token'), { code })
  expect(connectionFailure(thrown)).toStrictEqual(expected as never)
})

// prettier-ignore
test.each([
  ['a deadline',       'TimeoutError', { kind: 'cluster_timeout' }],
  ['somebody who left', 'AbortError',  unreachable('other')],
])('%s', (_, name, expected) => {
  expect(connectionFailure(new DOMException('x', name))).toStrictEqual(expected as never)
})

test.each<[string, unknown]>([
  ['a bug', new TypeError('x is undefined')],
  ['no error at all', 'a text'],
  ['a code that is none', Object.assign(new Error('x'), { code: 7 })],
])('%s is thrown on', (_, thrown) => {
  let caught: unknown
  try {
    connectionFailure(thrown)
  } catch (error) {
    caught = error
  }
  expect(caught).toBe(thrown)
})
