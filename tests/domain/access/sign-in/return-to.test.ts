import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createReturnTo } from '#src/lib/domain/access/sign-in/return-to.ts'

const OWN = 'https://portal.test'
const UI = 'https://ui.test'
const LONGEST = `/oauth/authorize?state=${'s'.repeat(500)}&redirect_uri=${'r'.repeat(500)}&scope=catalog:read`
const returnTo = createReturnTo(new URL(OWN), [UI])

describe('return_to', () => {
  test.each([
    ['/docs', '/docs'],
    ['/a/b?c=d&e=%2F%2Fx#f', '/a/b?c=d&e=%2F%2Fx#f'],
    [`${OWN}/docs?x=1`, '/docs?x=1'],
    ['HTTPS://PORTAL.TEST/docs', '/docs'],
    [`${OWN}:443/docs`, '/docs'],
    [`${UI}/teams?x=1#y`, `${UI}/teams?x=1#y`],
    ['/häuser', '/h%C3%A4user'],
    ['/a/../b', '/b'],
    ['/x?next=https://evil.test', '/x?next=https://evil.test'],
    // An authorization with the longest `state` and `redirect_uri`.
    [LONGEST, LONGEST],
  ])('%p leads to %p', (given, expected) => expect(returnTo(given)).toBe(expected))

  test.each([
    null,
    '',
    '//evil.test',
    '///evil.test',
    '////evil.test/..',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    '\t//evil.test',
    ' //evil.test',
    '/.//evil.test',
    '/x/..//evil.test',
    '/%2e//evil.test',
    'https:evil.test',
    'https:/evil.test',
    'https:///evil.test',
    'https://evil.test',
    'https://evil.test\\@portal.test',
    'https://portal.test@evil.test/',
    'https://user@portal.test/',
    'https://ui.test:secret@ui.test/',
    'https://portal.test.evil.test/',
    'https://portal.testevil.test/',
    'https://portal.test:8443/',
    'http://portal.test/',
    'http://ui.test/',
    'https://ui.test.evil.test/',
    'javascript:alert(1)',
    'javascript://portal.test/%0aalert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://portal.test/x',
    'evil.test',
    'docs',
    '?x',
    '#x',
    '/\u0000/evil.test\u0000',
    'https://portal.test\u0000.evil.test/',
    'https://[::1',
    `/${'x'.repeat(2_000)}`,
  ])('SEC-O7 %p stays on our own or a UI origin', (given) => {
    const target = returnTo(given)
    expect([OWN, UI]).toContain(new URL(target, OWN).origin)
    if (given !== '/\u0000/evil.test\u0000') expect(target).toBe('/')
  })

  test('SEC-O7 whatever the text, the browser stays on our own or a UI origin', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '\\',
        '.',
        '..',
        '@',
        ':',
        '?',
        '#',
        '%2f',
        '%5c',
        '%2e',
        '\t',
        '\r\n',
        '\0',
        'http:',
        'https:',
        'HTTPS://',
        'javascript:',
        'data:',
        '//evil.test',
        'evil.test',
        OWN,
        UI,
        'portal.test',
        'ui.test',
        '\u3002',
        '\uff0f',
        '\u00ad',
        '[::1]',
        '127.1',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    )
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (given) => {
        const target = returnTo(given)
        expect(target.length).toBeLessThanOrEqual(2_000)
        expect(target).toMatch(/^[\x21-\x7e]+$/)
        expect([OWN, UI]).toContain(new URL(target, `${OWN}/api/v1/auth/callback?code=x`).origin)
        // Reading it again changes nothing: it is safe to hand on.
        expect(returnTo(target)).toBe(target)
      }),
      { numRuns: 2_000 },
    )
  })
})
