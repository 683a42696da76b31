import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { localPath } from '#src/demo/local-path.ts'

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
