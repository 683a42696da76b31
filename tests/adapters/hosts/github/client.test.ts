import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, importSPKI, jwtVerify } from 'jose'
import { createGitHubClient } from '#src/lib/adapters/hosts/github/api/client.ts'
import { VERSION } from '#src/version.ts'
import { type AnswerParts, answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { unpaced } from '#tests/support/write-turns.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PKCS8 = privateKey.export({ type: 'pkcs8', format: 'pem' })
const PKCS1 = privateKey.export({ type: 'pkcs1', format: 'pem' })
const PUBLIC = publicKey.export({ type: 'spki', format: 'pem' })
const HOUR_MS = 3_600_000

function open(apiUrl: string, access: Parameters<typeof createGitHubClient>[0]['access']) {
  const clock = { nowMs: Date.UTC(2026, 0, 1), now: () => clock.nowMs }
  const logged: string[] = []
  const note = (fields: object, text: string) => void logged.push(JSON.stringify([fields, text]))
  const log = { info: note, warn: note, error: note } as never
  const client = createGitHubClient({
    ...unpaced,
    apiUrl,
    access,
    authority: null,
    clock,
    log,
    onRateLimit() {},
  })
  return { client, clock, logged }
}
const openApp = (apiUrl: string, key = PKCS8) =>
  open(apiUrl, {
    kind: 'app',
    app: { appId: '7', privateKey: key, installationId: 42 },
  })
const openToken = (apiUrl: string) =>
  open(apiUrl, { kind: 'token', token: { kind: 'text', text: 'ghp_secret' } })

/** A GitHub whose tokens are `t1`, `t2` …; other requests are answered by `reply`. */
async function startGitHub(reply: (authorization: string, index: number) => AnswerParts) {
  let made = 0
  let asked = 0
  const host = await startRawHost((socket, { target, headers }) => {
    if (target.endsWith('/access_tokens')) {
      made += 1
      const expires_at = new Date(Date.UTC(2026, 0, 1) + HOUR_MS).toISOString()
      socket.write(rawAnswer({ status: 201, json: { token: `t${made}`, expires_at } }))
    } else socket.write(rawAnswer(reply(headers.get('authorization') ?? '', asked++)))
  })
  return Object.assign(host, {
    tokens: () => made,
    lines: () =>
      host.requests.map(({ method, target, headers }) =>
        target.endsWith('/access_tokens')
          ? 'token'
          : `${method} ${target} ${headers.get('authorization')}`,
      ),
  })
}

describe('a request to GitHub', () => {
  test('names its version of the API, its sender and its token', async () => {
    using host = await startRawHost(answers({ json: { a: 1 } }))
    const { client } = openToken(`${host.url}/api/v3/`)
    const query = { head: 'acme:promote/a', 'x{y}': 'z' }
    const answer = await client.read('/repos/acme/a%20b/git/ref/heads/a%40%7Bb%7D', { query })
    expect(answer.ok && answer.value.json).toStrictEqual({ a: 1 })
    const [request] = host.requests
    expect(request?.target).toBe(
      '/api/v3/repos/acme/a%20b/git/ref/heads/a%40%7Bb%7D?head=acme%3Apromote%2Fa&x%7By%7D=z',
    )
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      accept: 'application/vnd.github+json',
      authorization: 'Bearer ghp_secret',
      'user-agent': `portico/${VERSION}`,
      'x-github-api-version': '2022-11-28',
    })
  })

  test('has a JSON body when it writes', async () => {
    using host = await startRawHost(answers({ status: 201, json: {} }))
    const { client } = openToken(host.url)
    const body = { content: 'ä {owner}\n', list: [1], data: 'x' }
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'] as const) {
      await client.write(method, '/repos/acme/a/git/blobs', body)
    }
    for (const request of host.requests) {
      expect(JSON.parse(request.body)).toStrictEqual(body)
      expect(request.headers.get('content-type')).toContain('application/json')
    }
    await client.write('POST', '/a')
    await client.write('PUT', '/a')
    expect(
      host.requests.slice(-2).map(({ body, headers }) => [body, headers.get('content-length')]),
    ).toStrictEqual([
      ['', '0'],
      ['', '0'],
    ])
  })
})

describe('an answer that Octokit misreads', () => {
  test.each([
    ['a body cut off', (whole: Buffer) => whole.subarray(0, -1)],
    ['a body that is missing', (whole: Buffer) => whole.subarray(0, whole.indexOf('\r\n\r\n') + 4)],
  ])('%s', async (_, cut) => {
    using host = await startRawHost((socket) => void socket.end(cut(rawAnswer({ json: { a: 1 } }))))
    expect(await openToken(host.url).client.write('POST', '/a')).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: 'the answer was cut off' },
    })
  })

  test('a deadline is no status 500', async () => {
    using host = await startRawHost(() => {})
    const { client } = openToken(host.url)
    expect(await client.write('POST', '/a', {}, { deadlineMs: 50 })).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_timeout' },
    })
  })

  test('304 confirms', async () => {
    using host = await startRawHost(
      answers({ json: { a: 1 }, headers: { etag: '"x"' } }, { status: 304 }),
    )
    const { client } = openToken(host.url)
    await client.read('/a')
    const again = await client.read('/a')
    expect(again.ok && again.value.json).toStrictEqual({ a: 1 })
    expect(host.requests[1]?.headers.get('if-none-match')).toBe('"x"')
  })

  test.each([404, 409, 422])('%i is a value', async (status) => {
    using host = await startRawHost(answers({ status, json: { message: 'no' } }))
    const answer = await openToken(host.url).client.write('POST', '/a')
    expect(answer.ok && answer.value.status).toBe(status)
  })
})

describe('the token of an installation', () => {
  test.each([
    ['PKCS#1', PKCS1],
    ['PKCS#8', PKCS8],
  ])('is asked for with a key in %s', async (_, key) => {
    using host = await startGitHub(() => ({ json: {} }))
    const { client } = openApp(`${host.url}/api/v3`, key)
    expect((await client.read('/a')).ok).toBe(true)
    const [asking] = host.requests
    expect(`${asking?.method} ${asking?.target}`).toBe(
      'POST /api/v3/app/installations/42/access_tokens',
    )
    expect(asking?.headers.get('x-github-api-version')).toBe('2022-11-28')
    expect(asking?.headers.get('user-agent')).toBe(`portico/${VERSION}`)
    const [scheme, jwt = ''] = asking?.headers.get('authorization')?.split(' ') ?? []
    expect(scheme?.toLowerCase()).toBe('bearer')
    const { payload } = await jwtVerify(jwt, await importSPKI(PUBLIC, 'RS256'))
    expect(payload.iss).toBe('7')
    expect(host.lines()[1]).toBe('GET /api/v3/a Bearer t1')
  })

  test('is made once for all who wait, and again before its end', async () => {
    using host = await startGitHub(() => ({ json: {} }))
    const { client, clock } = openApp(host.url)
    await Promise.all(['/a', '/b', '/c'].map((path) => client.read(path)))
    clock.nowMs += 54 * 60_000
    await client.read('/d')
    expect(host.tokens()).toBe(1)
    clock.nowMs += 60_000
    await client.read('/e')
    expect(host.tokens()).toBe(2)
    expect(host.lines().at(-1)).toBe('GET /e Bearer t2')
  })

  test('that seems to be over at once is used nevertheless', async () => {
    using host = await startGitHub(() => ({ json: {} }))
    const { client, clock } = openApp(host.url)
    clock.nowMs += 2 * HOUR_MS
    for (const path of ['/a', '/b']) await client.read(path)
    expect(host.tokens()).toBe(1)
  })

  test.each(['read', 'write'] as const)('that was revoked is replaced once: %s', async (kind) => {
    using host = await startGitHub((authorization) => ({
      status: authorization === 'Bearer t1' ? 401 : 200,
      json: {},
    }))
    const { client } = openApp(host.url)
    const act = () => (kind === 'read' ? client.read('/a') : client.write('POST', '/a', {}))
    expect((await act()).ok).toBe(true)
    expect((await act()).ok).toBe(true)
    const method = kind === 'read' ? 'GET' : 'POST'
    expect(host.lines()).toStrictEqual([
      'token',
      `${method} /a Bearer t1`,
      'token',
      `${method} /a Bearer t2`,
      `${method} /a Bearer t2`,
    ])
  })

  test('that is refused for ever is a refusal', async () => {
    using host = await startGitHub(() => ({ status: 401, json: {} }))
    const { client, logged } = openApp(host.url)
    expect(await client.write('POST', '/a', {})).toStrictEqual({
      ok: false,
      error: { kind: 'git_denied', what: 'the credentials were refused' },
    })
    expect(host.lines()).toStrictEqual(['token', 'POST /a Bearer t1', 'token', 'POST /a Bearer t2'])
    expect(logged.join()).not.toMatch(/t1|t2|eyJ/)
  })

  test.each([
    [401, {}, { kind: 'git_denied', what: 'the id or the private key of the App was refused' }],
    [404, {}, { kind: 'git_denied', what: 'the App has no installation 42' }],
    [
      403,
      { message: 'This installation has been suspended' },
      { kind: 'git_denied', what: "the App's installation: This installation has been suspended" },
    ],
    [
      403,
      { message: 'You have exceeded a secondary rate limit' },
      { kind: 'git_rate_limited', retryAfterSeconds: 60 },
    ],
    [500, {}, { kind: 'git_host_error', reason: 'answered with 500' }],
    [503, {}, { kind: 'git_host_unreachable' }],
    [201, {}, { kind: 'git_host_error', reason: 'no installation token, answered with 201' }],
    [301, {}, { kind: 'git_host_error', reason: 'redirected a request of the App' }],
  ] as const)('that is not given: %i %j', async (status, json, error) => {
    using host = await startRawHost(answers({ status, json, headers: { location: '/b' } }))
    const { client } = openApp(host.url)
    expect(await client.write('POST', '/a')).toMatchObject({ error })
    expect(await client.write('POST', '/a')).toMatchObject({ error })
    // A limit holds back the request for the token, too.
    expect(host.requests).toHaveLength(error.kind === 'git_rate_limited' ? 1 : 2)
  })

  test('that is cut off', async () => {
    using host = await startRawHost((socket) => {
      socket.end(rawAnswer({ status: 201, json: { token: 'secret' } }).subarray(0, -3))
    })
    const { client, logged } = openApp(host.url)
    expect(await client.write('POST', '/a')).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: 'the answer was cut off' },
    })
    expect(logged.join()).not.toContain('secret')
  })

  test.each([
    [201, true],
    [403, "the App's installation: *** is revoked"],
  ])('by a clock that is wrong is signed again by the clock of GitHub: %i', async (status, out) => {
    const theirs = Date.now() + HOUR_MS
    using host = await startRawHost((socket, { target, headers }) => {
      const jwt = headers.get('authorization')?.split(' ')[1] ?? ''
      const issuedAt = target.endsWith('/access_tokens') ? decodeJwt(jwt).iat : null
      const isLate = typeof issuedAt === 'number' && issuedAt * 1_000 < theirs - 60_000
      const message =
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
      const date = { date: new Date(theirs).toUTCString() }
      const expires_at = new Date(theirs + HOUR_MS).toISOString()
      if (isLate) socket.write(rawAnswer({ status: 401, json: { message }, headers: date }))
      else {
        const json = { token: 't', expires_at, message: `${jwt} is revoked` }
        socket.write(rawAnswer({ status: target === '/a' ? 201 : status, json }))
      }
    })
    const answer = await openApp(host.url).client.write('POST', '/a')
    expect(answer.ok || ('what' in answer.error && answer.error.what)).toBe(out)
    expect(host.requests).toHaveLength(status === 201 ? 3 : 2)
  })

  test('never goes to another host', async () => {
    using other = await startRawHost(answers({ json: {} }))
    using host = await startGitHub(() => ({ status: 302, headers: { location: other.url } }))
    const { client } = openApp(host.url)
    await client.read('/a')
    await client.write('POST', '/a')
    expect(other.requests).toHaveLength(0)
  })
})

describe('an asset', () => {
  const { signal } = new AbortController()
  const read = async (
    opened: Awaited<ReturnType<ReturnType<typeof openApp>['client']['openAsset']>>,
  ) => (opened.ok ? new Response(opened.value).text() : opened.error.kind)

  test('comes from storage, which gets no credentials', async () => {
    using storage = await startRawHost(answers({ body: 'bytes' }))
    using host = await startGitHub(() => ({
      status: 302,
      headers: { location: `${storage.url}/x?signature` },
    }))
    const { client } = openApp(host.url)
    expect(await read(await client.openAsset('/repos/a/b/releases/assets/1', signal))).toBe('bytes')
    const asking = host.requests.at(-1)?.headers
    expect(asking?.get('accept')).toBe('application/octet-stream')
    expect(asking?.get('authorization')).toBe('Bearer t1')
    expect(asking?.get('x-github-api-version')).toBe('2022-11-28')
    expect(asking?.get('user-agent')).toBe(`portico/${VERSION}`)
    expect(storage.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('is asked for once more with a new token', async () => {
    using host = await startGitHub((authorization) =>
      authorization === 'Bearer t1' ? { status: 401 } : { body: 'bytes' },
    )
    expect(await read(await openApp(host.url).client.openAsset('/a', signal))).toBe('bytes')
  })

  test.each([401, 403])('is refused with %i', async (status) => {
    using host = await startGitHub(() => ({ status }))
    expect(await read(await openApp(host.url).client.openAsset('/a', signal))).toBe('git_denied')
    expect(host.tokens()).toBe(status === 401 ? 2 : 1)
  })

  test('is not looked for at an address of our network', async () => {
    using host = await startGitHub(() => ({
      status: 302,
      headers: { location: 'https://169.254.169.254/latest' },
    }))
    expect(await openApp(host.url).client.openAsset('/a', signal)).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: 'a redirect to a host that cannot be storage' },
    })
  })
})
