import { describe, expect, test } from 'bun:test'
import { createRequestParsers } from '#src/lib/domain/promotion/request.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const { parsePromotion } = createRequestParsers(pipelineOf())
const parse = (members: object) => parsePromotion({ targetLifecycle: 'development', ...members })
const pathsOf = (parsed: ReturnType<typeof parsePromotion>) =>
  parsed.ok ? [] : parsed.error.map(({ path }) => path)

describe('the texts of a promotion', () => {
  const NOT_ONE_LINE = [
    'a\nb',
    'a\u2028b',
    'a\0',
    'a\u0085b',
    'a\ud800b',
    '\udc00',
    '\uFEFFa',
    'a\u202eb',
    'a\u2066b',
    '\u200fa',
    '\u061ca',
  ]

  test.each(NOT_ONE_LINE)('are one line of well-formed Unicode, unlike %j', (text) => {
    const deprecation = { reason: text, replacedBy: text }
    expect(pathsOf(parse({ message: text, deprecation })).toSorted()).toStrictEqual([
      '/deprecation/reason',
      '/deprecation/replacedBy',
      '/message',
    ])
  })

  test.each(['', 'a b', 'Grüße 🚀 — ça va', '\u{10FFFD}'])('may be %j', (message) => {
    expect(parse({ message })).toMatchObject({ ok: true, value: { message } })
  })
})

test.each(['shop.acme.example', '1.acme.example', 'a.b', 'shop.example.4you', '10.0.0.x1'])(
  'a host may be %s',
  (host) => {
    expect(parse({ overlayConfig: { ingress: { host } } }).ok).toBe(true)
  },
)

test.each(['10.0.0.1', '127.1', '1.2', 'a.1', '0x7f.0x1', '1.0x'])(
  'the IP address %s is no host',
  (host) => {
    expect(pathsOf(parse({ overlayConfig: { ingress: { host } } }))).toStrictEqual([
      '/overlayConfig/ingress/host',
    ])
  },
)

test('a negative zero is zero', () => {
  const parsed = parse({ overlayConfig: { replicas: -0 } })
  expect(parsed.ok && Object.is(parsed.value.overlayConfig?.replicas, 0)).toBe(true)
})

test.each([
  [{ KEY: 7 }, 'every value must be text'],
  [{ KEY: 'x'.repeat(32_769) }, 'every value must have at most 32768 bytes'],
  [{ 'A-B': 'x' }, 'keys have letters, digits and underscores, such as STRIPE_KEY'],
])('a fault of one secret is said of all, since its key may be a value: %#', (secrets, message) => {
  const parsed = parse({ overlayConfig: { secrets } })
  expect(parsed).toMatchObject({ error: [{ path: '/overlayConfig/secrets', message }] })
})
