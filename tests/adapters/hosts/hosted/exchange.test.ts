import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { openClient } from './open-client.ts'

const authority = await makeAuthority()
const certificate = await authority.issue()
const CUT = { kind: 'git_host_error', reason: 'the answer was cut off' } as const
const NO_JSON = { kind: 'git_host_error', reason: 'an answer that is no whole JSON' } as const

describe('a read', () => {
  test('has the answer, with credentials and the headers of the client', async () => {
    using host = await startRawHost(answers({ headers: { 'x-a': 'b' }, json: { a: [1] } }))
    const { client } = openClient(host.url)
    const answer = await client.read('/repos/acme/a%20b', { query: { page: 2, q: 'a b' } })
    if (!answer.ok) throw new Error(answer.error.kind)
    expect(answer.value.status).toBe(200)
    expect(answer.value.json).toStrictEqual({ a: [1] })
    expect(answer.value.headers.get('x-a')).toBe('b')
    const [request] = host.requests
    expect(request?.target).toBe('/repos/acme/a%20b?page=2&q=a+b')
    expect(request?.headers.get('authorization')).toBe('Bearer secret')
    expect(request?.headers.get('accept')).toBe('application/json')
  })

  test.each([400, 403, 404, 405, 409, 410, 422, 423, 451])(
    'leaves %i to the operation',
    async (status) => {
      using host = await startRawHost(answers({ status, json: { message: 'no' } }))
      const answer = await openClient(host.url).client.read('/a')
      expect(answer.ok && [answer.value.status, answer.value.json]).toStrictEqual([
        status,
        { message: 'no' },
      ])
      expect(host.requests).toHaveLength(1)
    },
  )

  test('leaves a refusal without JSON to the operation', async () => {
    const headers = { 'content-type': 'text/plain' }
    using host = await startRawHost(answers({ status: 404, headers, body: '404 page not found' }))
    const answer = await openClient(host.url).client.read('/a')
    expect(answer.ok && [answer.value.status, answer.value.json]).toStrictEqual([404, undefined])
  })

  test('understands gzip', async () => {
    const body = gzipSync(JSON.stringify({ a: 'x'.repeat(10_000) }))
    using host = await startRawHost(answers({ headers: { 'content-encoding': 'gzip' }, body }))
    const answer = await openClient(host.url).client.read('/a')
    expect(answer.ok && answer.value.json).toStrictEqual({ a: 'x'.repeat(10_000) })
  })

  test('trusts its own authority and no other', async () => {
    using host = await startRawHost(answers({ json: 1 }), certificate)
    const trusting = openClient(host.url, { authority: authority.pem })
    expect((await trusting.client.read('/a')).ok).toBe(true)
    const { pem } = await makeAuthority()
    const reason = `the certificate of ${host.url} is not signed by a trusted authority: the setting of the CA file must name the one that signed it`
    for (const other of [pem, null]) {
      const { client, logged } = openClient(host.url, { authority: other })
      for (const _ of ['once', 'again']) {
        expect(await client.read('/a')).toStrictEqual({
          ok: false,
          error: { kind: 'git_host_unreachable', reason },
        })
      }
      expect(logged).toStrictEqual([
        `the git host cannot be reached ${JSON.stringify({ kind: 'git_host_unreachable', reason })}`,
      ])
    }
    expect(host.requests).toHaveLength(1)
  })
})

describe('a body that is cut off is a failure', () => {
  const whole = rawAnswer({ json: { message: 'whole', sha: 'a' } })
  const chunked = Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1,2,\r\n3\r\n3,4\r\n1\r\n]\r\n0\r\n\r\n',
  )
  const unframed =
    'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n{"a":"b"}'
  const packed = rawAnswer({
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync('{"a":"bcdefghijklmnopqrstuvwxyz"}'),
  })

  test.each([
    ['with a length', whole],
    ['without a length', Buffer.from(unframed)],
    ['in chunks', chunked],
    ['in gzip', packed],
  ])('%s, at any byte', async (_, bytes) => {
    // Behind the last chunk of length 0 nothing is missing.
    const until = bytes.byteLength - (bytes === chunked ? 4 : 0)
    for (let at = 1; at < until; at += at < until - 45 ? 13 : 1) {
      using host = await startRawHost((socket) => void socket.end(bytes.subarray(0, at)))
      const { client } = openClient(host.url)
      const outcome = await client.write('POST', '/a')
      expect([at, outcome.ok]).toStrictEqual([at, false])
    }
    using host = await startRawHost((socket) => void socket.end(bytes))
    expect((await openClient(host.url).client.write('POST', '/a')).ok).toBe(true)
  })

  test.each([
    ['the length is wrong', rawAnswer({ json: {}, headers: { 'content-length': '90' } }), CUT],
    [
      'the length cuts it',
      rawAnswer({ json: { a: 1 }, headers: { 'content-length': '3' } }),
      NO_JSON,
    ],
    ['the length is a word', rawAnswer({ json: {}, headers: { 'content-length': 'x' } }), CUT],
    [
      'it is gzip and is not',
      rawAnswer({ json: {}, headers: { 'content-encoding': 'gzip' } }),
      CUT,
    ],
    ['it is no UTF-8', rawAnswer({ body: Buffer.from([0x22, 0xff, 0x22]) }), NO_JSON],
    ['it has no body', Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), CUT],
  ])('%s', async (_, bytes, failure) => {
    using host = await startRawHost((socket) => void socket.end(bytes))
    expect(await openClient(host.url).client.read('/a')).toStrictEqual({
      ok: false,
      error: failure,
    })
    expect(host.requests).toHaveLength(3)
  })

  test('a reset connection', async () => {
    using host = await startRawHost((socket) => {
      socket.write(rawAnswer({ json: {}, headers: { 'content-length': '90' } }), () =>
        socket.resetAndDestroy(),
      )
    })
    expect(await openClient(host.url).client.write('POST', '/a')).toStrictEqual({
      ok: false,
      error: CUT,
    })
  })
})

describe('the limits of one call', () => {
  test.each([
    ['no byte', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-t'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a'],
  ])('a host that sends %s and no more is a timeout', async (_, text) => {
    using host = await startRawHost((socket) => void socket.write(text))
    const { client } = openClient(host.url, { deadlineMs: 1_000 })
    const timeout = { ok: false, error: { kind: 'git_host_timeout' } } as const
    expect(await client.read('/a')).toStrictEqual(timeout)
    expect(await client.write('POST', '/a')).toStrictEqual(timeout)
    expect(host.requests).toHaveLength(2)
  })

  test('a host that sends a byte now and then is a timeout', async () => {
    using host = await startRawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      const timer = setInterval(() => socket.write('1'), 5)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await openClient(host.url, { deadlineMs: 100 }).client.read('/a')).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_timeout' },
    })
  })

  test('a body that is too long, packed or not', async () => {
    const body = '1'.repeat(200_000)
    using host = await startRawHost(
      answers({ body }, { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }),
    )
    const { client } = openClient(host.url)
    for (const _ of ['plain', 'packed']) {
      expect(await client.read('/a', { maxBytes: 100_000 })).toStrictEqual({
        ok: false,
        error: { kind: 'git_host_error', reason: 'an answer of more than 100000 bytes' },
      })
    }
    expect(host.requests).toHaveLength(2)
  })

  test.each([200, 403, 404])('a page with %i is the answer of a proxy', async (status) => {
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    using host = await startRawHost(answers({ status, headers, body: '<html>sign in</html>' }))
    expect(await openClient(host.url).client.read('/a')).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: `answered with ${status} and a page` },
    })
    expect(host.requests).toHaveLength(1)
  })
})

describe('a redirect', () => {
  const to = (location: string, status = 302) => ({ status, headers: { location }, body: '' })

  test.each([301, 302, 307, 308])('%i within the API is followed by a read', async (status) => {
    using host = await startRawHost(answers(to('/repositories/7?x=y', status), { json: [1] }))
    const answer = await openClient(host.url).client.read('/repos/acme/old')
    expect(answer.ok && answer.value.json).toStrictEqual([1])
    expect(host.requests.map(({ target }) => target)).toStrictEqual([
      '/repos/acme/old',
      '/repositories/7?x=y',
    ])
    expect(host.requests[1]?.headers.get('authorization')).toBe('Bearer secret')
  })

  test('to another host gets no request', async () => {
    using other = await startRawHost(answers({ json: {} }))
    using host = await startRawHost(answers(to(`${other.url}/a`)))
    const { client } = openClient(host.url)
    expect(await client.read('/a')).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: 'a redirect to another origin' },
    })
    expect(other.requests).toHaveLength(0)
  })

  test.each([
    ['nowhere', '', 'a redirect without a target'],
    ['with credentials', 'http://a:b@127.0.0.1/', 'a redirect with credentials'],
    ['to itself', '/a', 'too many redirects'],
  ])('%s is no answer', async (_, location, reason) => {
    using host = await startRawHost(
      answers(location === '' ? { status: 302, body: '' } : to(location)),
    )
    expect(await openClient(host.url).client.read('/a')).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason },
    })
  })

  test.each([301, 302, 303, 307, 308])('%i of a write is a renamed repository', async (status) => {
    using host = await startRawHost(answers(to('/repositories/7/git/refs', status)))
    const { client } = openClient(host.url)
    const renamed = { kind: 'git_denied', what: 'acme/old was renamed' } as const
    const answer = await client.write('POST', '/repos/acme/old/git/refs', {})
    expect(answer).toStrictEqual({ ok: false, error: renamed })
    expect(host.requests.length).toBe(1)
  })
})
