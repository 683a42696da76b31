import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  clearedSessionCookie,
  readSessionCookie,
  sessionCookie,
} from '#src/lib/domain/access/sessions/session-cookie.ts'

const A = 'A'.repeat(43)
const B = 'b_-9'.repeat(11).slice(0, 43)
const none = { kind: 'none' } as const
const malformed = { kind: 'malformed' } as const
const ambiguous = { kind: 'ambiguous' } as const
const token = (text: string) => ({ kind: 'token', token: text }) as const

describe('readSessionCookie', () => {
  // prettier-ignore
  test.each([
    ['no header',              null,                                              none],
    ['an empty header',        '',                                                none],
    ['another cookie',         'theme=dark',                                      none],
    ['the cookie',             `portal_session=${A}`,                             token(A)],
    ['among others',           `a=1; portal_session=${B}; c=3`,                   token(B)],
    ['without spaces',         `a=1;portal_session=${B};c=3`,                     token(B)],
    ['with spaces and tabs',   ` \tportal_session \t=\t ${B} ; c`,                token(B)],
    ['a longer name',          `portal_session2=${A}; xportal_session=${A}`,      none],
    ['a prefixed name',        `__Host-portal_session=${A}`,                      none],
    ['another case',           `Portal_Session=${A}`,                             none],
    ['a quoted name',          `"portal_session"=${A}`,                           none],
    ['an encoded name',        `portal%5Fsession=${A}`,                           none],
    ['a name in a value',      `a=portal_session; b="portal_session=${A}"`,       none],
    ['a no-break space',       `\u00a0portal_session=${A}`,                       none],
    ['no value',               'portal_session',                                  none],
    ['an empty value',         'portal_session=',                                 malformed],
    ['JSON',                   'portal_session={"a":1}',                          malformed],
    ['a JSON list',            'portal_session=[1,2]',                            malformed],
    ['bad percent encoding',   'portal_session=%E0%A4%A',                         malformed],
    ['percent encoding',       `portal_session=%41${'A'.repeat(42)}`,             malformed],
    ['a quoted value',         `portal_session="${A}"`,                           malformed],
    ['42 characters',          `portal_session=${A.slice(1)}`,                    malformed],
    ['44 characters',          `portal_session=${A}A`,                            malformed],
    ['a value with =',         `portal_session=${A}=`,                            malformed],
    ['base64, not base64url',  `portal_session=${'+/'.repeat(21)}A`,              malformed],
    ['a space after it',       `portal_session=${A}\u00a0`,                       malformed],
    ['a line feed after it',   `portal_session=${A}\n`,                           malformed],
    ['two equal values',       `portal_session=${A}; portal_session=${A}`,        token(A)],
    ['two different values',   `portal_session=${A}; portal_session=${B}`,        ambiguous],
    ['a good and a bad value', `portal_session=${A}; portal_session=x`,           ambiguous],
    ['a bad and a good value', `portal_session=; x=1; portal_session=${A}`,       ambiguous],
    ['three, the last differs', `portal_session=${A}; portal_session=${A}; portal_session=${B}`, ambiguous],
  ])('%s', (_, header, expected) => {
    expect(readSessionCookie(header)).toStrictEqual(expected)
  })

  test('any text has an answer, and a token has the form of one', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (before, value) => {
        const read = readSessionCookie(`${before};portal_session=${value}`)
        if (read.kind === 'token') expect(read.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
      }),
    )
  })
})

describe('Set-Cookie', () => {
  const lasting = (milliseconds: number) => ({ createdAt: 1, expiresAt: 1 + milliseconds })

  test('of a session', () => {
    expect(sessionCookie(A, lasting(36_000_000), true)).toBe(
      `portal_session=${A}; Path=/; HttpOnly; SameSite=Lax; Max-Age=36000; Secure`,
    )
    expect(sessionCookie(A, lasting(1_999), false)).toBe(
      `portal_session=${A}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1`,
    )
  })

  test('that clears it', () => {
    expect(clearedSessionCookie(true)).toBe(
      'portal_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    )
  })
})
