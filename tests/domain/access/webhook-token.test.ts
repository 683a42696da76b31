import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { createWebhookTokens, type WebhookTokens } from '#src/lib/domain/access/webhook-token.ts'

const OLD = 'old-webhook-token-0001'
const NEW = 'new-webhook-token-0002'
const check = createWebhookTokens([NEW, OLD])

describe('verifyBearer', () => {
  // prettier-ignore
  test.each([
    ['the first token',       `Bearer ${NEW}`,        true],
    ['the second token',      `Bearer ${OLD}`,        true],
    ['scheme in lower case',  `bearer ${OLD}`,        true],
    ['scheme in upper case',  `BEARER  ${OLD}`,       true],
    ['no header',             null,                   false],
    ['an empty header',       '',                     false],
    ['no scheme',             NEW,                    false],
    ['another scheme',        `Basic ${NEW}`,         false],
    ['no space',              `Bearer${NEW}`,         false],
    ['no token',              'Bearer ',              false],
    ['a shorter token',       `Bearer ${NEW.slice(1)}`, false],
    ['a longer token',        `Bearer ${NEW}x`,       false],
    ['another case',          `Bearer ${NEW.toUpperCase()}`, false],
    ['two tokens',            `Bearer ${NEW} ${OLD}`, false],
    ['joined headers',        `Bearer ${NEW}, Bearer ${OLD}`, false],
    ['a space after it',      `Bearer ${NEW} `,       false],
  ])('%s', (_, header, expected) => {
    expect(check.verifyBearer(header)).toBe(expected)
  })

  test('1000 other tokens are refused', () => {
    const other = fc.oneof(
      fc.string({ maxLength: 64 }),
      fc.nat({ max: NEW.length - 1 }).map((at) => `${NEW.slice(0, at)}X${NEW.slice(at + 1)}`),
      fc.nat({ max: NEW.length - 1 }).map((length) => NEW.slice(0, length)),
    )
    fc.assert(
      fc.property(other, (token) => {
        expect(check.verifyBearer(`Bearer ${token}`)).toBe(token === NEW || token === OLD)
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['Bearer undefined', 'Bearer ', `Bearer ${NEW}`])(
    'without tokens %p lets nobody in',
    (header) => {
      const nobody = createWebhookTokens([])
      expect(nobody.verifyBearer(header)).toBe(false)
      const signature = createHmac('sha256', '').update('x').digest('hex')
      expect(nobody.verifySignature(`sha256=${signature}`)).toBeUndefined()
    },
  )
})

describe('verifySignature', () => {
  const body = Buffer.from('{"ref":"refs/heads/main"}')
  const signed = (token: string, content: Uint8Array = body) =>
    `sha256=${createHmac('sha256', token).update(content).digest('hex')}`

  const verifies = (tokens: WebhookTokens, content: Uint8Array, header: string | null): boolean => {
    const signature = tokens.verifySignature(header)
    signature?.update(content)
    return signature?.matches() === true
  }

  test('a body in parts is the body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat({ max: 64 }), (content, at) => {
        const signature = check.verifySignature(signed(OLD, content))
        for (const part of [content.subarray(0, at), content.subarray(at)]) signature?.update(part)
        expect(signature?.matches()).toBe(true)
      }),
    )
  })

  // prettier-ignore
  test.each([
    ['by the first token',    signed(NEW),                              true],
    ['by the second token',   signed(OLD),                              true],
    ['by another token',      signed('another-webhook-token'),          false],
    ['of another body',       signed(NEW, Buffer.from('{}')),           false],
    ['no header',             null,                                     false],
    ['no algorithm',          signed(NEW).slice(7),                     false],
    ['SHA-1',                 signed(NEW).replace('sha256', 'sha1'),    false],
    ['cut short',             signed(NEW).slice(0, -2),                 false],
    ['too long',              `${signed(NEW)}00`,                       false],
    ['not hex',               `sha256=${'g'.repeat(64)}`,               false],
    ['the token itself',      `sha256=${NEW}`,                          false],
  ])('%s', (_, header, expected) => {
    expect(verifies(check, body, header)).toBe(expected)
  })

  // The example of GitHub's "Validating webhook deliveries".
  test('the published example', () => {
    const github = createWebhookTokens(["It's a Secret to Everybody"])
    const header = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(verifies(github, Buffer.from('Hello, World!'), header)).toBe(true)
  })
})

test.each([
  ['the first token', NEW, true],
  ['the second token', OLD, true],
  ['no header', null, false],
  ['an empty header', '', false],
  ['a scheme before it', `Bearer ${NEW}`, false],
  ['a longer token', `${NEW}x`, false],
] as const)('verifyToken: %s', (_, header, expected) => {
  expect(check.verifyToken(header)).toBe(expected)
  expect(createWebhookTokens([]).verifyToken(header)).toBe(false)
})
