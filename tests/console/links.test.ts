import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { safeLink } from '#src/console/ui/links.ts'

test.each([
  ['https://docs.example.org/a?b#c', 'https://docs.example.org/a?b#c', 'docs.example.org'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/', '127.0.0.1:3000'],
  ['HTTPS://Example.ORG', 'https://example.org/', 'example.org'],
  ['https://exämple.org', 'https://xn--exmple-cua.org/', 'xn--exmple-cua.org'],
  [' https://example.org/a\tb ', 'https://example.org/ab', 'example.org'],
  ['/entities/component/shop?do=promote#x', '/entities/component/shop?do=promote#x', null],
  ['/a/../../b', '/b', null],
])('%j is followed', (text, href, host) => {
  expect(safeLink(text)).toStrictEqual({ href, host })
})

test.each([
  '',
  'docs',
  'example.org',
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,x',
  'blob:https://example.org/1',
  'vbscript:x',
  'file:///etc/passwd',
  'mailto:a@example.org',
  '//evil.example',
  '/\\evil.example',
  '/.//evil.example',
  '/\t/evil.example',
  'https://example.org@evil.example',
  'https://a:b@evil.example',
  'https://',
])('%j is not', (text) => {
  expect(safeLink(text)).toBeNull()
})

test('a followed link leads to the web or into this portal', () => {
  const part = fc.constantFrom(
    '/',
    '\\',
    'http',
    's',
    ':',
    'javascript:',
    '@',
    'a.b',
    '\t',
    ' ',
    '?',
    '#',
    '.',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const link = safeLink(parts.join(''))
      if (link === null) return
      const url = new URL(link.href, 'https://portal.example')
      expect(['http:', 'https:']).toContain(url.protocol)
      expect(url.host).toBe(link.host ?? 'portal.example')
    }),
    { numRuns: 2_000 },
  )
})
