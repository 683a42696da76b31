import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { component, openPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'

const RUNS = 5_000
const SEED = 20_261_121

const portal = await openPortal({
  files: Object.fromEntries(
    ['payments-api', 'refunds', 'ledger'].map((name) => [`catalog/${name}.yaml`, component(name)]),
  ),
})
afterAll(() => portal[Symbol.asyncDispose]())

const ROUTES = portal.portal.app.elysia.routes.map(({ path }) => path)
const HOSTILE = [
  '',
  '..',
  '%2e%2e',
  '%00',
  '%ff',
  '%E0%A4%A',
  '__proto__',
  'constructor',
  'toString',
  '${7*7}',
  '{{7*7}}',
  "' OR 1=1 --",
  '<script>',
  '.*(a+)+$',
  '\\',
  '%0d%0aset-cookie:x=y',
  '🦊',
  'a'.repeat(5_000),
  '-1',
  '1e400',
  'NaN',
  '[]',
  '{}',
]

const word = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ maxLength: 20 }),
  fc.constantFrom('component', 'payments-api'),
)
const inUrl = word.map((text) => encodeURI(text.isWellFormed() ? text : ''))
const headerText = word.map((text) => text.replaceAll(/[^\x20-\x7e]/g, ''))

const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...ROUTES), inUrl, inUrl)
    .map(([route, a, b]) => route.replace(/:\w+/, a).replace(/:\w+/, b)),
  fc.array(inUrl, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
)
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'kind',
        'owner',
        'system',
        'lifecycle',
        'q',
        'limit',
        'offset',
        '__proto__',
        'x',
      ),
      inUrl,
    ),
    {
      maxLength: 4,
    },
  )
  .map((pairs) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`,
  )
const headers = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'cookie',
        'accept',
        'accept-encoding',
        'if-none-match',
        'content-type',
        'authorization',
        'x-request-id',
        'x-hub-signature-256',
        'origin',
        'sec-fetch-site',
        'content-length',
        'range',
        'x-forwarded-for',
      ),
      fc.oneof(
        headerText,
        fc.constantFrom(
          'application/json',
          'application/yaml',
          '*/*',
          'gzip',
          `Bearer ${WEBHOOK_TOKEN}`,
          'portal_session=x',
        ),
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) =>
    Object.fromEntries(
      pairs.filter(([name, value]) => name !== 'content-length' || /^\d{0,7}$/.test(value)),
    ),
  )
const body = fc.oneof(
  fc.constant(undefined),
  fc.json(),
  word,
  fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
)
const request = fc.record({
  method: fc.constantFrom(
    'GET',
    'GET',
    'GET',
    'POST',
    'POST',
    'PUT',
    'DELETE',
    'PATCH',
    'HEAD',
    'OPTIONS',
  ),
  path,
  query,
  headers,
  body,
  signedIn: fc.boolean(),
})

const PROBLEM = /^application\/problem\+json$/

test(`${RUNS} hostile requests: no answer is a 5xx, none is undocumented, nothing is polluted`, async () => {
  await portal.portal.readiness.start()
  await portal.portal.catalog.read()
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers, body, signedIn }) => {
      const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined
      const response = await portal.request(`${path}${query}`, {
        method,
        headers,
        ...(hasBody && { body }),
        ...(signedIn && { as: 'dev' as const }),
        // A URL parser may make another path of this one, and the client unpacks compressed answers by itself.
        undocumented: true,
      })
      expect(response.status).toBeLessThan(500)
      if (response.status >= 400 && method !== 'HEAD') {
        // RFC 6749 §5.2 and JSON-RPC have forms of their own.
        const type = /^\/(?:oauth|mcp)\b/.test(path) ? /^application\/(?:problem\+)?json$/ : PROBLEM
        expect(response.headers.get('content-type')).toMatch(type)
      }
      await response.arrayBuffer()
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(Object.keys(Object.prototype)).toStrictEqual([])
  expect(portal.logged.filter((line) => line.includes('"level":50'))).toStrictEqual([])
})
