import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { wanted } from '#src/lib/demo/accept.ts'
import { html } from '#src/lib/demo/html.ts'
import { localPath } from '#src/lib/demo/local-path.ts'
import { plainText } from '#src/lib/demo/plain-text.ts'

describe('html', () => {
  test.each([
    ['<b>', '&lt;b&gt;'],
    ['a & b', 'a &amp; b'],
    [`"'`, '&quot;&#39;'],
    ['&amp;', '&amp;amp;'],
    [42, '42'],
    [null, ''],
    [['<', html`<i>${'<'}</i>`, ['>']], '&lt;<i>&lt;</i>&gt;'],
  ])('%j', (value, expected) => {
    expect(html`${value}`.toString()).toBe(expected)
  })

  test('whatever the text, the template keeps its tags', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const rendered = html`<a title="${text}">${text}</a>`.toString()
        expect(rendered.match(/[<>"']/g)?.join('')).toBe('<""><>')
      }),
    )
  })
})

describe('localPath', () => {
  test.each([
    '/',
    '/git/acme/gitops/pulls/2',
    '/docs?x=1&y=%2F#part',
    '/api/v1/catalog/entities?q=a+b',
  ])('follows %j', (path) => {
    expect(localPath(path)).toBe(path)
  })

  test.each([
    null,
    undefined,
    '',
    'git',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/a\\b',
    '\\/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a\r\nset-cookie: x=y',
    '/a b',
    '/\u0000',
    '/ä',
    ' /a',
    `/${'a'.repeat(2_000)}`,
  ])('does not follow %j', (path) => {
    expect(localPath(path)).toBeUndefined()
  })

  test('what it follows stays on the same origin', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const path = localPath(`/${text}`)
        if (path === undefined) return
        expect(new URL(path, 'http://127.0.0.1:8080/dev/sign-in').origin).toBe(
          'http://127.0.0.1:8080',
        )
      }),
    )
  })
})

describe('plainText', () => {
  test.each([
    ['tab\tand\nline', 'tab\tand\nline'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['\u0000\u001b[0m', '\\u{0}\\u{1b}[0m'],
    ['a\rb', 'a\\u{d}b'],
    ['\u{e0041}', '\\u{e0041}'],
    ['Zoë → 日本', 'Zoë → 日本'],
  ])('%j', (text, shown) => {
    expect(plainText(text)).toBe(shown)
  })
})

describe('wanted', () => {
  test.each([
    [undefined, 'any'],
    ['*/*', 'any'],
    ['application/json', 'json'],
    ['application/json, text/html;q=0.5', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['text/html, application/json', 'html'],
    ['TEXT/HTML;q=0.1', 'html'],
    ['text/html;q=0', 'any'],
    ['text/html;q=x', 'any'],
  ])('%j is %s', (accept, expected) => {
    const headers = accept === undefined ? {} : { accept }
    expect(wanted(new Request('http://x/', { headers }))).toBe(expected as 'any')
  })
})
