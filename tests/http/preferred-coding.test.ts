import { expect, test } from 'bun:test'
import { preferredCoding } from '#src/lib/http/negotiation.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1, br;q=0.9', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['*;q=0', 'identity'],
  ['deflate', 'identity'],
  ['identity', 'identity'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['identity;q=1, br;q=0.5', 'identity'],
  ['identity;q=0.5, br;q=0.5', 'br'],
  ['br;q=nonsense, gzip', 'gzip'],
])('%p is answered with %s', (header, coding) => {
  const headers = header === undefined ? {} : { 'accept-encoding': header }
  const request = new Request('http://portal.test/', { headers })
  expect(preferredCoding(request, ['br', 'gzip'])).toBe(coding)
})
