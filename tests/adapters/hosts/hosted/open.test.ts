import { describe, expect, test } from 'bun:test'
import { answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { openClient } from './open-client.ts'

const authority = await makeAuthority()
const certificate = await authority.issue()
const never = new AbortController().signal
const to = (location: string) => ({ status: 302, headers: { location }, body: '' })

async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  try {
    return await new Response(body).text()
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
}
const BROKEN = 'the body was cut off or took too long'

describe('an archive', () => {
  test('comes as it is, not unpacked', async () => {
    const packed = Buffer.from(Bun.gzipSync('bytes'))
    using host = await startRawHost(
      answers({ headers: { 'content-encoding': 'gzip' }, body: packed }),
    )
    const opened = await openClient(host.url).client.open('/a', never)
    if (!opened.ok) throw new Error(opened.error.kind)
    expect(packed.equals(await new Response(opened.value.body).bytes())).toBe(true)
    expect(host.requests[0]?.headers.get('authorization')).toBe('Bearer secret')
  })

  test('of another host gets no credentials, and is found with those of the API', async () => {
    using store = await startRawHost(answers({ body: 'archive' }))
    using host = await startRawHost(answers(to(`${store.url}/x?token=signature`)))
    const { client } = openClient(host.url, { headers: { 'x-key': 'secret' } })
    const opened = await client.open('/a', never)
    expect(opened.ok && (await bytesOf(opened.value.body))).toBe('archive')
    expect(host.requests[0]?.headers.get('x-key')).toBe('secret')
    const received = [...(store.requests[0]?.headers ?? [])].map((header) => header.join())
    expect(received.join()).not.toContain('secret')
    expect(store.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('elsewhere needs TLS', async () => {
    using store = await startRawHost(answers({ body: 'archive' }))
    using host = await startRawHost(answers(to(`${store.url}/x`)), certificate)
    const { client } = openClient(host.url, { authority: authority.pem })
    expect(await client.open('/a', never)).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: 'a redirect to a host that cannot be storage' },
    })
    expect(store.requests).toHaveLength(0)
  })

  test.each(['https://169.254.169.254/latest', 'https://vault:8200/v1', 'https://[fd00::1]/x'])(
    'elsewhere is never a service of our own network: %s',
    async (location) => {
      using host = await startRawHost(answers(to(location)), certificate)
      const { client } = openClient(host.url, { authority: authority.pem })
      expect(await client.open('/a', never)).toStrictEqual({
        ok: false,
        error: { kind: 'git_host_error', reason: 'a redirect to a host that cannot be storage' },
      })
    },
  )

  test('on the same host is trusted by the authority of the API, on another one it is not', async () => {
    const tls = await authority.issue(['localhost', '127.0.0.1'])
    using store = await startRawHost(answers({ body: 'archive' }), tls)
    using host = await startRawHost(answers(to(`${store.url}/x`)), tls)
    using other = await startRawHost(answers(to(`https://localhost:${store.port}/x`)), tls)
    const open = (root: string) =>
      openClient(root, { authority: authority.pem }).client.open('/a', never)
    const opened = await open(host.url)
    expect(opened.ok && (await bytesOf(opened.value.body))).toBe('archive')
    expect(await open(other.url)).toMatchObject({ error: { kind: 'git_host_unreachable' } })
  })

  test('below the name of the API is trusted by its authority', async () => {
    const tls = await authority.issue(['localhost', 'codeload.localhost'])
    using store = await startRawHost(answers({ body: 'archive' }), tls)
    using host = await startRawHost(answers(to(`https://codeload.localhost:${store.port}/x`)), tls)
    const root = `https://localhost:${host.port}`
    const opened = await openClient(root, { authority: authority.pem }).client.open('/a', never)
    expect(opened.ok && (await bytesOf(opened.value.body))).toBe('archive')
    expect(store.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('that is cut off fails without a URL', async () => {
    using host = await startRawHost(
      (socket) => void socket.end(rawAnswer({ body: 'abc', headers: { 'content-length': '9' } })),
    )
    const opened = await openClient(host.url).client.open('/a?secret', never)
    expect(opened.ok && (await bytesOf(opened.value.body))).toBe(BROKEN)
  })

  test.each([
    ['stalls', { totalMs: 60_000, stallMs: 50 }],
    ['takes too long', { totalMs: 50, stallMs: 60_000 }],
  ])('that %s is given up, and its connection closed', async (_, archiveLimits) => {
    const closed = Promise.withResolvers<void>()
    using host = await startRawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')
      socket.on('close', () => closed.resolve())
    })
    const opened = await openClient(host.url, { archiveLimits }).client.open('/a', never)
    expect(opened.ok && (await bytesOf(opened.value.body))).toBe(BROKEN)
    await closed.promise
  })

  test('whose reader leaves is not read on', async () => {
    const closed = Promise.withResolvers<void>()
    using host = await startRawHost((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')
      socket.on('close', () => closed.resolve())
    })
    const stop = new AbortController()
    const opened = await openClient(host.url).client.open('/a', stop.signal)
    if (!opened.ok) throw new Error(opened.error.kind)
    stop.abort()
    expect(await bytesOf(opened.value.body)).toBe(BROKEN)
    await closed.promise
  })

  test('that is not begun is a timeout', async () => {
    using host = await startRawHost(() => {})
    const { client } = openClient(host.url, { archiveHeadersMs: 50 })
    expect(await client.open('/a', never)).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_timeout' },
    })
  })

  test.each([
    [
      { status: 404, json: {} },
      { ok: true, value: { status: 404, body: null } },
    ],
    [{ status: 401 }, { ok: false, error: { kind: 'git_denied' } }],
    [{ status: 429 }, { ok: false, error: { kind: 'git_rate_limited' } }],
    [{ status: 500 }, { ok: false, error: { kind: 'git_host_error' } }],
  ] as const)('is not %j', async (answer, outcome) => {
    using host = await startRawHost(answers(answer))
    expect(await openClient(host.url).client.open('/a', never)).toMatchObject(outcome)
  })
})
