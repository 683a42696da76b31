import { expect, test } from 'bun:test'
import { retryAfterSeconds } from '#src/lib/outbound/retry-after.ts'

const NOW = Date.UTC(2026, 0, 1)

test.each([
  [null, null],
  ['', null],
  ['0', 0],
  ['30', 30],
  ['3601', 3_600],
  ['999999999999', 3_600],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['30 seconds', null],
  ['Thu, 01 Jan 2026 00:00:07 GMT', 7],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['Fri, 01 Jan 2027 00:00:00 GMT', 3_600],
  ['Thu, 99 Jan 2026 00:00:07 GMT', null],
  ['2026-01-01', null],
  ['tomorrow', null],
])('%p is %p', (header, seconds) => {
  const headers = new Headers(header === null ? {} : { 'retry-after': header })
  expect(retryAfterSeconds(headers, NOW)).toBe(seconds)
})
