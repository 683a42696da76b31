import { afterAll, describe, expect, test } from 'bun:test'
import { document } from '#tests/support/openapi.ts'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const portal = await openPortal({
  environment: { UI_ORIGINS: 'https://ui.test', ALLOWED_HOSTS: 'portal.internal' },
})
afterAll(() => portal[Symbol.asyncDispose]())

interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail?: string
  readonly instance: string
  readonly requestId: string
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
}

const problemOf = async (response: Response) => (await response.json()) as ProblemBody
const ENTITIES = '/api/v1/catalog/entities'
const LOGOUT = '/api/v1/auth/logout'
const VALIDATE = '/api/v1/catalog/validate'

describe('problem details', () => {
  test('have one shape, also for unknown routes', async () => {
    const response = await portal.request('/api/v1/nothing?secret=hunter2', {
      headers: { 'x-request-id': 'given-id' },
    })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await problemOf(response)).toStrictEqual({
      type: 'urn:portico:problem:not_found',
      title: 'There is nothing here',
      status: 404,
      code: 'not_found',
      instance: '/api/v1/nothing',
      requestId: 'given-id',
    })
  })

  test('never echo what was submitted', async () => {
    const canary = 'hunter2hunter2'
    const answers = await Promise.all([
      portal.request(`${ENTITIES}?limit=${canary}&q=${'x'.repeat(300)}${canary}`, { as: 'dev' }),
      portal.request(`${ENTITIES}/${canary}%2f/x`, { as: 'dev' }),
      portal.request(VALIDATE, {
        as: 'dev',
        method: 'POST',
        body: `password=${canary}`,
        headers: { 'content-type': `text/${canary}` },
      }),
    ])
    expect(answers.map(({ status }) => status)).toStrictEqual([422, 422, 415])
    for (const answer of answers) {
      const { instance: _, ...rest } = await problemOf(answer)
      expect(JSON.stringify(rest)).not.toContain(canary)
    }
  })

  test('all errors of a request at once', async () => {
    const response = await portal.request(`${ENTITIES}?limit=0&offset=-1&q=${'x'.repeat(201)}`, {
      as: 'dev',
    })
    const { errors, detail } = await problemOf(response)
    expect(errors?.map(({ path }) => path).toSorted()).toStrictEqual([
      '/query/limit',
      '/query/offset',
      '/query/q',
    ])
    expect(detail).toContain('query/limit: must be at least 1')
  })
})

describe('request ids', () => {
  test.each([
    ['a-valid_1.id', 'a-valid_1.id'],
    ['x'.repeat(64), 'x'.repeat(64)],
  ])('%s is taken over', async (given, expected) => {
    const response = await portal.request('/healthz', { headers: { 'x-request-id': given } })
    expect(response.headers.get('x-request-id')).toBe(expected)
    expect(portal.access.at(-1)?.requestId).toBe(expected)
  })

  test.each(['', 'with space', 'x'.repeat(65), 'quote"', 'new;line'])(
    '%p is replaced by a UUID, version 7',
    async (given) => {
      const response = await portal.request('/healthz', { headers: { 'x-request-id': given } })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
    },
  )
})

describe('security headers', () => {
  test.each(['/healthz', ENTITIES, '/api/v1/nothing', '/docs', '/docs/page.js'])(
    'are on %s',
    async (path) => {
      const { headers } = await portal.request(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-site')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    },
  )

  test('pages are apart from the windows of others, and use no device', async () => {
    const headersOf = async (path: string) => {
      const { headers } = await portal.request(path, { headers: { accept: 'text/html' } })
      return ['content-type', 'cross-origin-opener-policy', 'permissions-policy'].map((name) =>
        headers.get(name),
      )
    }
    for (const page of ['/', '/docs', '/audit', '/api/v1/auth/callback']) {
      expect(await headersOf(page)).toStrictEqual([
        'text/html; charset=utf-8',
        'same-origin',
        'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
      ])
    }
    expect((await headersOf(ENTITIES)).slice(1)).toStrictEqual([null, null])
  })

  test('nothing under /api is stored; lists with a tag are revalidated', async () => {
    const refused = await portal.request(ENTITIES)
    const session = await portal.request('/api/v1/auth/session', { as: 'dev' })
    const list = await portal.request(ENTITIES, { as: 'dev' })
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(session.headers.get('cache-control')).toBe('no-store')
    expect(list.headers.get('cache-control')).toBe('private, no-cache')
  })

  test('https is insisted on when the public URL is https', async () => {
    await using secure = await openPortal({ environment: { PUBLIC_URL: 'https://portal.test' } })
    const response = await secure.request('/healthz', { headers: { host: 'portal.test' } })
    expect(response.headers.get('strict-transport-security')).toBe(
      'max-age=31536000; includeSubDomains',
    )
    const plain = await portal.request('/healthz')
    expect(plain.headers.get('strict-transport-security')).toBeNull()
  })
})

describe('hosts', () => {
  test.each([
    ['portal.test:8080', 401],
    ['PORTAL.TEST:8080', 401],
    ['portal.internal', 401],
    ['portal.test', 421],
    ['a', 421],
    ['evil.test', 421],
    ['portal.test:8080.evil.test', 421],
    ['', 421],
  ])('%p answers %d', async (host, status) => {
    const response = await portal.request(ENTITIES, { headers: { host } })
    expect(response.status).toBe(status)
  })

  test.each([
    ['portal.test', 401],
    ['portal.test:443', 401],
    ['portal.test:80', 421],
    ['portal.internal:443', 421],
  ])('with an https address of the default port %p answers %d', async (host, status) => {
    await using secure = await openPortal({
      environment: { PUBLIC_URL: 'https://portal.test', ALLOWED_HOSTS: 'portal.internal' },
    })
    const response = await secure.request(ENTITIES, { headers: { host } })
    expect(response.status).toBe(status)
  })

  test.each(['/healthz', '/readyz'])('probes take any: %s', async (path) => {
    const response = await portal.request(path, { headers: { host: '10.0.0.7:8080' } })
    expect(response.status).not.toBe(421)
  })
})

describe('cross-site requests', () => {
  const own = { 'content-type': 'application/json' }
  // `cross-site.test.ts` has the other ways to ask.
  test.each([
    ['same origin', { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }, 200],
    ['a portal UI that is configured', { origin: 'https://ui.test' }, 200],
    ['another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }, 403],
  ])('from %s', async (_, headers, status) => {
    const response = await portal.request(VALIDATE, {
      as: 'dev',
      method: 'POST',
      body: '{}',
      headers: { ...own, ...headers },
    })
    expect(response.status).toBe(status)
    if (status === 403) expect((await problemOf(response)).code).toBe('cross_site_request')
  })

  test('a configured UI may read answers, and nobody else', async () => {
    const allowed = await portal.request(ENTITIES, {
      as: 'dev',
      headers: { origin: 'https://ui.test' },
    })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://ui.test')
    expect(allowed.headers.get('access-control-allow-credentials')).toBe('true')
    expect(allowed.headers.get('vary')).toContain('origin')
    const preflight = await portal.request(VALIDATE, {
      method: 'OPTIONS',
      headers: { origin: 'https://ui.test', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE')
    for (const origin of [
      'https://ui.test.evil.test',
      'null',
      'http://ui.test',
      'https://ui.test:444',
    ]) {
      const refused = await portal.request(ENTITIES, { as: 'dev', headers: { origin } })
      expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('a configured UI may send and read every header that is documented', async () => {
    const asked = async (path: string, method: string) =>
      (await portal.request(path, { as: 'dev', method, headers: { origin: 'https://ui.test' } }))
        .headers
    const sent = (await asked(VALIDATE, 'OPTIONS')).get('access-control-allow-headers')
    const read = (await asked(ENTITIES, 'GET')).get('access-control-expose-headers')
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const responses = [
      ...operations.flatMap((operation) => Object.values(operation.responses)),
      ...Object.values(document.components.responses),
    ]
    const parameters = operations.flatMap((operation) => operation.parameters ?? [])
    const inHeaders = parameters.filter((parameter) => parameter.in === 'header')
    const missingIn = (list: string | null, names: readonly string[]) =>
      names.filter((name) => list?.split(', ').includes(name.toLowerCase()) !== true)
    expect(inHeaders).not.toStrictEqual([])
    expect(missingIn(sent, ['Content-Type', ...inHeaders.map(({ name }) => name)])).toStrictEqual(
      [],
    )
    expect(
      missingIn(
        read,
        responses.flatMap(({ headers = {} }) => Object.keys(headers)),
      ),
    ).toStrictEqual([])
  })
})

describe('bodies', () => {
  test.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/html',
  ])('%s is not taken for JSON', async (type) => {
    for (const path of [LOGOUT, VALIDATE]) {
      const response = await portal.request(path, {
        as: 'outsider',
        method: 'POST',
        body: '{}',
        headers: { 'content-type': type },
      })
      expect(await outcomeOf(response)).toBe('415 unsupported_media_type')
    }
  })

  test.each(['{', '{"a":', 'nonsense', '\u00ff'])('%p is not JSON', async (body) => {
    const response = await portal.request(LOGOUT, {
      as: 'outsider',
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(await outcomeOf(response)).toBe('400 malformed_json')
  })

  test('a body without a content type is refused', async () => {
    const response = await portal.request(VALIDATE, {
      as: 'dev',
      method: 'POST',
      body: new Uint8Array([123, 125]),
    })
    expect(response.status).toBe(415)
  })

  test.each(['announced', 'chunked'])('one byte too many is refused (%s)', async (how) => {
    const bytes = new Uint8Array(1024 * 1024 + 1).fill(32)
    const body = how === 'chunked' ? new Blob([bytes]).stream() : bytes
    const response = await portal.request(VALIDATE, {
      as: 'dev',
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/yaml',
        ...(how === 'announced' && { 'content-length': String(bytes.length) }),
      },
    })
    expect(response.status).toBe(413)
    expect(await problemOf(response)).toMatchObject({
      code: 'payload_too_large',
      limitBytes: 1024 * 1024,
    })
  })
})

describe('encoded bodies', () => {
  const sent = (path: string, encoding: string) =>
    portal.request(path, {
      as: 'outsider',
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    })

  test.each(['gzip', 'br', 'GZIP, identity', 'unknown'])('%s is not unpacked', async (encoding) => {
    const answers = await Promise.all([sent(LOGOUT, encoding), sent(VALIDATE, encoding)])
    for (const answer of answers) {
      expect(await outcomeOf(answer)).toBe('415 unsupported_media_type')
      expect(answer.headers.get('accept-encoding')).toBe('identity')
    }
  })

  test('identity is none', async () => {
    expect((await sent(VALIDATE, 'Identity')).status).toBe(200)
  })
})

test('empty values of a list count', async () => {
  const statuses = await Promise.all(
    [49, 50].map(
      async (commas) =>
        (await portal.request(`${ENTITIES}?kind=${','.repeat(commas)}`, { as: 'dev' })).status,
    ),
  )
  expect(statuses).toStrictEqual([200, 422])
})

// Sign-in takes what browsers, programs and identity providers bring along.
test('every numeric parameter has a maximum, every free one a length', () => {
  const parameters = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters = [] }) =>
      parameters.map((each) => ({ path, ...each })),
    ),
  )
  const boundless = parameters.filter(
    ({ path, in: place, schema }) =>
      place === 'query' &&
      !path.startsWith('/api/v1/auth/') &&
      !path.startsWith('/oauth/') &&
      ((schema.type === 'integer' && schema.maximum === undefined) ||
        (schema.type === 'string' && schema.maxLength === undefined && schema.enum === undefined)),
  )
  expect(boundless).toStrictEqual([])
})

describe('methods', () => {
  test.each([
    ['DELETE', ENTITIES, 'GET, HEAD, OPTIONS'],
    ['PUT', LOGOUT, 'OPTIONS, POST'],
    ['GET', VALIDATE, 'OPTIONS, POST'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/api/v1/catalog/entities/component/x', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405', async (method, path, allow) => {
    const response = await portal.request(path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect((await problemOf(response)).code).toBe('method_not_allowed')
  })

  test('OPTIONS says what there is', async () => {
    const response = await portal.request(ENTITIES, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  test('HEAD is GET without a body', async () => {
    const get = await portal.request(ENTITIES, { as: 'dev' })
    const head = await portal.request(ENTITIES, { as: 'dev', method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
    expect((await portal.request(ENTITIES, { method: 'HEAD' })).status).toBe(401)
  })
})

describe('path parameters', () => {
  test.each([
    ['/component/a%2fb', ['/params/name']],
    ['/component/..%2fx', ['/params/name']],
    ['/component/%00', ['/params/name']],
    ['/component/%ff', ['/params/name']],
    ['/component/%E0%A4%A', ['/params/name']],
    ['/component/a_b', ['/params/name']],
    ['/component/-a', ['/params/name']],
    [`/component/${'a'.repeat(64)}`, ['/params/name']],
    ['/com%2fponent/a', ['/params/kind']],
    ['/1component/a', ['/params/kind']],
    ['/comp-onent/pay_ments', ['/params/kind', '/params/name']],
  ])('%s is refused', async (path, pointers) => {
    const response = await portal.request(`${ENTITIES}${path}`, { as: 'dev' })
    expect(response.status).toBe(422)
    const { errors } = await problemOf(response)
    expect([...new Set(errors?.map((error) => error.path))].toSorted()).toStrictEqual(pointers)
  })

  // A URL parser resolves these before anybody sees them: they are other paths.
  test.each(['/component/..', '/component/%2e%2e', '/%2e%2e/a'])(
    '%s is another path',
    async (path) => {
      const response = await portal.request(`${ENTITIES}${path}`, { as: 'dev' })
      expect((await problemOf(response)).code).toBe('not_found')
    },
  )
})

test('the removed promotion webhook says where promotion lives now', async () => {
  const response = await portal.request('/api/v1/webhooks/promote/component/payments-api', {
    method: 'POST',
  })
  expect(response.status).toBe(404)
  expect(await problemOf(response)).toMatchObject({
    code: 'not_found',
    detail: expect.stringContaining('/promotion'),
  })
})

test('one log line per request, without query, headers and cookies', async () => {
  const before = portal.access.length
  await portal.request(`${ENTITIES}?q=canary`, {
    as: 'manager',
    from: '203.0.113.7',
    headers: { 'x-request-id': 'logged', 'x-forwarded-for': '10.0.0.1' },
  })
  expect(portal.access.slice(before)).toStrictEqual([
    {
      requestId: 'logged',
      method: 'GET',
      path: ENTITIES,
      status: 200,
      ms: expect.any(Number),
      address: '203.0.113.7',
      subject: 'manager',
    },
  ])
})

test('the start warns when every client will have the address of the proxy', async () => {
  const warned = async (environment: Readonly<Record<string, string>>) => {
    await using portal = await openPortal({ environment })
    return portal.logged.join('').includes('TRUSTED_PROXIES is not set')
  }
  const PUBLIC_URL = 'https://portal.test'
  expect(await warned({ PUBLIC_URL })).toBe(true)
  expect(await warned({ PUBLIC_URL, TRUSTED_PROXIES: '10.0.0.0/8' })).toBe(false)
  expect(await warned({})).toBe(false)
})
