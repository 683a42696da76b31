import { describe, expect, test } from 'bun:test'
import { rangeOf } from '#src/lib/http/byte-range.ts'

const SIZE = 100
const ETAG = '"tag"'
const asked = (
  range: string,
  more: Record<string, string> = {},
  method = 'GET',
  size = SIZE,
): unknown => {
  const headers = { range, ...more }
  const found = rangeOf(new Request('http://x.test', { method, headers }), size, ETAG)
  return found.kind === 'part' ? [found.start, found.end] : found.kind
}

describe('which bytes a request asks for', () => {
  test.each([
    ['bytes=0-9', [0, 10]],
    ['bytes=0-0', [0, 1]],
    ['bytes=90-', [90, 100]],
    ['bytes=90-99', [90, 100]],
    ['bytes=90-100', [90, 100]],
    ['bytes=90-99999999999999999999999', [90, 100]],
    ['bytes=-1', [99, 100]],
    ['bytes=-100', [0, 100]],
    ['bytes=-101', [0, 100]],
    ['bytes=-99999999999999999999999', [0, 100]],
    ['BYTES=0-9', [0, 10]],
    ['bytes= 0-9 ', [0, 10]],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
  ])('%s', (range, expected) => {
    expect(asked(range)).toStrictEqual(expected)
  })

  test.each([
    'bytes=0-9,20-29',
    'bytes=9-0',
    'bytes=-',
    'bytes=',
    'bytes',
    'bytes=a-b',
    'bytes=0x0-9',
    'bytes=+0-9',
    'bytes=0-9-',
    'bytes=--9',
    'bytes 0-9',
    'lines=0-9',
    'bytes=0-9;q=1',
    '',
  ])('%j is ignored', (range) => {
    expect(asked(range)).toBe('whole')
  })

  test('of nothing there is no part', () => {
    for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
      expect(asked(range, {}, 'GET', 0)).toBe('unsatisfiable')
  })

  test('only GET has ranges', () => {
    expect(asked('bytes=0-9', {}, 'HEAD')).toBe('whole')
  })
})

describe('only if it is still the same', () => {
  test.each([
    [ETAG, [0, 10]],
    [` ${ETAG} `, [0, 10]],
    ['"other"', 'whole'],
    [`W/${ETAG}`, 'whole'],
    [`${ETAG}, "other"`, 'whole'],
    ['tag', 'whole'],
    ['*', 'whole'],
    ['Sat, 21 Nov 2026 15:20:24 GMT', 'whole'],
    ['', 'whole'],
  ])('If-Range: %s', (condition, expected) => {
    expect(asked('bytes=0-9', { 'if-range': condition })).toStrictEqual(expected)
  })
})
