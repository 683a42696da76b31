import { describe, expect, jest, test } from 'bun:test'
import { vaultPath } from '#src/lib/adapters/secret-store/vault/client.ts'
import { type AnswerParts, answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openClient, READ, WRITE } from './open-client.ts'

const OK = rawAnswer({ json: { data: { version: 1 } } })
const unreachable = { ok: false, error: { kind: 'secret_store_unreachable' } } as const
const timeout = { ok: false, error: { kind: 'secret_store_timeout' } } as const
const fails = (url: string, code: string) =>
  `the secret store fails {"address":"${url}","code":"${code}"}`

describe('a request', () => {
  test('carries the token, the namespace and a merge patch', async () => {
    using host = await startRawHost(answers({ status: 403, json: { errors: ['no'] } }))
    const { client } = openClient(host.url, { namespace: 'team-a' })
    const path = vaultPath`${'secret'}/data/${'a/b c/env'}`
    const body = { data: { A: 'x' } }
    const request = { method: 'PATCH', path, body, token: 's.x', repeatable: false } as const
    expect(await client.send(request)).toStrictEqual({
      ok: true,
      value: { status: 403, json: { errors: ['no'] } },
    })
    const [sent] = host.requests
    expect(sent?.target).toBe('/v1/secret/data/a/b%20c/env')
    expect(sent?.body).toBe('{"data":{"A":"x"}}')
    expect(sent?.headers.get('content-type')).toBe('application/merge-patch+json')
    expect(sent?.headers.get('x-vault-token')).toBe('s.x')
    expect(sent?.headers.get('x-vault-namespace')).toBe('team-a')
  })

  test.each(['..', 'a/../b', 'a//b', ''])('has no path with %p', (value) => {
    expect(() => vaultPath`secret/data/${value}`).toThrow()
  })

  test('goes below the path of a proxy', async () => {
    using host = await startRawHost(answers({ json: {} }))
    for (const path of ['', '/', '/vault', '/vault/']) {
      await openClient(`${host.url}${path}`).client.send({ ...READ, path: 'a?list=true' })
    }
    expect(host.requests.map(({ target }) => target)).toStrictEqual([
      '/v1/a?list=true',
      '/v1/a?list=true',
      '/vault/v1/a?list=true',
      '/vault/v1/a?list=true',
    ])
  })

  test('is not sent with a token that fits no header, which is not quoted', async () => {
    using host = await startRawHost((socket) => void socket.write(OK))
    const { client } = openClient(host.url)
    for (const token of ['', 's.a\nx-vault-namespace: other', 's.ä']) {
      expect(await client.send({ ...READ, token })).toMatchObject({
        ok: false,
        error: { kind: 'secret_store_denied' },
      })
    }
    expect(host.requests).toHaveLength(0)
  })
})

test.each([301, 302, 303, 307, 308])(
  'a redirect, %i, gets no request and no token',
  async (status) => {
    const moved = (location: string): AnswerParts => ({ status, headers: { location }, body: '' })
    using other = await startRawHost(answers({ json: {} }))
    using standby = await startRawHost(answers(moved(`${other.url}/v1/a`)))
    const reason = 'redirects: VAULT_ADDR must be the address that answers'
    for (const request of [READ, WRITE]) {
      const { client, logged } = openClient(standby.url)
      const outcome = await client.send(request)
      expect(outcome).toStrictEqual({ ok: false, error: { kind: 'secret_store_error', reason } })
      expect(logged).toStrictEqual([fails(standby.url, 'redirect')])
    }
    expect([standby.requests.length, other.requests.length]).toStrictEqual([2, 0])
  },
)

describe('a connection', () => {
  test('that is refused is an outage, which is logged once, as is its end', async () => {
    const port = freePort()
    const url = `http://127.0.0.1:${port}`
    const { client, logged } = openClient(url)
    expect(await client.send(READ)).toStrictEqual(unreachable)
    expect(await client.send(WRITE)).toStrictEqual(unreachable)
    expect(logged).toStrictEqual([fails(url, 'ECONNREFUSED')])
    using _ = Bun.serve({ port, hostname: '127.0.0.1', fetch: () => Response.json({}) })
    expect(await client.send(READ)).toMatchObject({ ok: true })
    expect(logged.slice(1)).toStrictEqual([
      `the secret store at ${url} works again {"lastedMs":0,"failures":2}`,
    ])
  })

  test('that is reset may have had an effect: only what does no harm is sent again, once', async () => {
    using host = await startRawHost((socket) => void socket.resetAndDestroy())
    expect(await openClient(host.url).client.send(WRITE)).toStrictEqual(unreachable)
    expect(host.requests).toHaveLength(1)
    const login = { ...WRITE, token: null, repeatable: true }
    expect(await openClient(host.url).client.send(login)).toStrictEqual(unreachable)
    expect(host.requests).toHaveLength(3)

    using other = await startRawHost((socket, _, index) =>
      index === 0 ? void socket.resetAndDestroy() : void socket.write(OK),
    )
    expect(await openClient(other.url).client.send(login)).toMatchObject({ ok: true })
  })

  test('whose certificate is refused is an outage, and gets no request', async () => {
    const authority = await makeAuthority()
    const { pem: other } = await makeAuthority()
    const answer = answers({ json: { data: { version: 1 } } })
    using host = await startRawHost(answer, await authority.issue())
    using misnamed = await startRawHost(answer, await authority.issue(['vault.example.org']))
    for (const [{ url }, trusted, code] of [
      [host, other, 'CERT_SIGNATURE_FAILURE'],
      [host, null, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [misnamed, authority.pem, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ] as const) {
      const { client, logged } = openClient(url, { authority: trusted })
      expect(await client.send(READ)).toStrictEqual(unreachable)
      expect(logged).toStrictEqual([fails(url, code)])
    }
    const { client } = openClient(host.url, { authority: authority.pem })
    expect(await client.send(WRITE)).toMatchObject({ ok: true })
    expect([misnamed.requests.length, host.requests.length]).toStrictEqual([0, 1])
  })
})

describe('an answer', () => {
  test('that is cut off is an error, wherever', async () => {
    for (let at = 1; at < OK.byteLength; at += 17) {
      using host = await startRawHost((socket) => void socket.end(OK.subarray(0, at)))
      const written = await openClient(host.url).client.send(WRITE)
      expect([at, written.ok, host.requests.length]).toStrictEqual([at, false, 1])
    }
  })

  test.each([
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-t'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a'],
  ])('that stops after %s is a timeout, and nothing is sent again', async (_, text) => {
    using host = await startRawHost((socket) => void socket.write(text))
    const { client } = openClient(host.url, { deadlineMs: 100 })
    expect(await client.send(READ)).toStrictEqual(timeout)
    expect(host.requests).toHaveLength(1)
  })

  test('has the whole deadline', async () => {
    const arrived = Promise.withResolvers<() => void>()
    using host = await startRawHost((socket) => arrived.resolve(() => void socket.write(OK)))
    const { client } = openClient(host.url, { deadlineMs: 2_000 })
    jest.useFakeTimers()
    try {
      const written = client.send(WRITE)
      const answer = await arrived.promise
      jest.advanceTimersByTime(1_999)
      answer()
      expect(await written).toMatchObject({ ok: true })
    } finally {
      jest.useRealTimers()
    }
  })
})
