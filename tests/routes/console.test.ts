import { afterAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { PATHS } from '#src/console/paths.ts'
import { openPortal } from '#tests/support/portal.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const portal = await openPortal()
afterAll(() => portal[Symbol.asyncDispose]())

const off = await openPortal({ environment: { CONSOLE: 'off' } })
afterAll(() => off[Symbol.asyncDispose]())

const filled = (path: string) => path.replaceAll(/:[a-z]+/g, 'some-Thing_1')
const PAGES = Object.values(PATHS).map(filled)

const document = await (await portal.request('/')).text()
const ASSETS = [...document.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path)
const SCRIPT = ASSETS.find((path) => path?.endsWith('.js')) ?? ''

describe('a page', () => {
  test.each(PAGES)('%s is the document of the console, without a session', async (path) => {
    const response = await portal.request(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('vary')).toBe('accept-encoding')
    expect(await response.text()).toBe(document)
  })

  test.each([
    '/entities/%zz/%ff',
    '/entities/%00/%2f',
    '/runs/__proto__',
    `/new/${'x'.repeat(5_000)}`,
    '/entities/component/payments-api?do=promote&environment=%00',
  ])('is the same document whatever is asked of it: %s', async (path) => {
    expect(await (await portal.request(path)).text()).toBe(document)
  })

  test('shows definitions in a frame without its origin, which asks for nothing', async () => {
    const { headers } = await portal.request('/docs/reference.html')
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).toContain('sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox')
    expect(policy?.some((rule) => rule.startsWith('connect-src'))).toBeFalse()
  })

  test('may load from its own origin alone, and makes no markup of texts', async () => {
    const { headers } = await portal.request('/')
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toStrictEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    expect(document).not.toMatch(/<style|style=|\son[a-z]+=|<script(?![^>]* src="\/console\/)/)
    const attributes = [...document.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url)
    expect(attributes.filter((url) => url?.startsWith('/') !== true)).toStrictEqual([])
  })

  test('is asked for again by its tag', async () => {
    const first = await portal.request('/cli')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    const again = await portal.request('/audit', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toStrictEqual([304, ''])
    expect(again.headers.get('content-security-policy')).toContain('trusted-types')
    const br = await portal.request('/', {
      headers: { 'accept-encoding': 'br', 'if-none-match': etag },
    })
    expect(br.status).toBe(200)
    expect(br.headers.get('etag')).not.toBe(etag)
  })

  test('has a HEAD, and takes nothing', async () => {
    const head = await portal.request('/', { method: 'HEAD' })
    expect([head.status, await head.text()]).toStrictEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(document.length))
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = await portal.request('/catalog', { method })
      expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect(await outcomeOf(refused)).toBe('405 method_not_allowed')
    }
  })
})

describe('an asset', () => {
  test('is each file of the document, by a name of its contents, for good', async () => {
    expect(ASSETS.length).toBeGreaterThan(2)
    for (const path of ASSETS) {
      const response = await portal.request(path ?? '')
      expect(response.status).toBe(200)
      expect(path).toMatch(/^\/console\/[a-z]+-[0-9a-z]{8}\.(js|css|svg|woff2)$/)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('vary')).toBe('accept-encoding')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('content-security-policy')).not.toContain('script-src')
    }
  })

  test('is compressed as the browser likes', async () => {
    const asked = async (coding: string) => {
      const headers = { 'accept-encoding': coding }
      const response = await portal.request(SCRIPT, { headers })
      const bytes = new Uint8Array(await response.arrayBuffer())
      return { coding: response.headers.get('content-encoding'), bytes }
    }
    const plain = await asked('identity')
    const br = await asked('gzip, deflate, br')
    const gzip = await asked('gzip')
    expect([plain.coding, br.coding, gzip.coding]).toStrictEqual([null, 'br', 'gzip'])
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true)
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true)
    expect(br.bytes.length).toBeLessThan(gzip.bytes.length)
  })

  test('has a HEAD', async () => {
    const head = await portal.request(SCRIPT, { method: 'HEAD' })
    const whole = await (await portal.request(SCRIPT)).arrayBuffer()
    expect(head.headers.get('content-length')).toBe(String(whole.byteLength))
  })

  test.each([
    '/console/main.js',
    '/console/index.html',
    '/console/..%2f..%2fpackage.json',
    '/console/..%5cmain.tsx',
    '/console/%00',
    '/console/%zz',
    '/console/__proto__',
    `/console/${'x'.repeat(101)}.js`,
    '/console/',
    '/console',
    `${SCRIPT}/`,
    SCRIPT.toUpperCase(),
  ])('is nothing else: %s', async (path) => {
    const response = await portal.request(path)
    expect(await outcomeOf(response)).toBe('404 not_found')
  })
})

test.each([
  ['/?q=pay&sort=-name', '/catalog?q=pay&sort=-name'],
  ['/?owner=payments', '/catalog?owner=payments'],
  ['/waiting', '/'],
  ['/waiting?of=all', '/?of=all'],
])('the old address %s leads to %s', async (path, location) => {
  const response = await portal.request(path)
  expect([response.status, response.headers.get('location')]).toStrictEqual([302, location])
})

test.each(['/new/', '/entities', '/entities/component', '/runs', '/Catalog', '/catalog/x', '/x'])(
  'the path %s is no page, and the problem that it was',
  async (path) => {
    expect(await outcomeOf(await portal.request(path))).toBe('404 not_found')
  },
)

describe('an address that is no page', () => {
  const html = { headers: { accept: 'text/html,*/*;q=0.8' } }

  test('is the page that says so, for a person', async () => {
    const response = await portal.request('/no/such/page', html)
    expect([response.status, response.headers.get('etag')]).toStrictEqual([404, null])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.text()).toBe(document)
  })

  test.each([
    '/api/v1/nothing',
    '/api',
    '/git/nothing',
    '/oauth/x',
    '/.well-known/x',
    '/console/x',
  ])('of programs stays a problem: %s', async (path) => {
    expect((await portal.request(path, html)).headers.get('content-type')).toContain('json')
  })

  test('is a problem for whatever is no GET, and without the console', async () => {
    expect((await portal.request('/x', { ...html, method: 'POST' })).status).toBe(404)
    expect(await outcomeOf(await off.request('/x', html))).toBe('404 not_found')
  })
})

describe('switched off', () => {
  test('the start leads to the documentation', async () => {
    const response = await off.request('/')
    expect([response.status, response.headers.get('location')]).toStrictEqual([302, '/docs'])
  })

  test('no page and no asset exists', async () => {
    for (const path of [...PAGES, ...ASSETS].filter((each) => each !== '/')) {
      const response = await off.request(path ?? '')
      expect([path, await outcomeOf(response)]).toStrictEqual([path, '404 not_found'])
    }
  })
})
