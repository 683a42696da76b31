import { describe, expect, jest, test } from 'bun:test'
import { createAddresses } from '#src/lib/adapters/secret-store/vault/api/addresses.ts'
import type { VaultAnswer } from '#src/lib/adapters/secret-store/vault/api/client.ts'
import { createSend } from '#src/lib/adapters/secret-store/vault/api/sender.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { ok, type Result } from '#src/lib/result.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openClient, READ, WRITE } from './open-client.ts'

const OK = rawAnswer({ json: { data: { version: 1 } } })
const unreachable = { ok: false, error: { kind: 'secret_store_unreachable' } } as const
const timeout = { ok: false, error: { kind: 'secret_store_timeout' } } as const
const cut = {
  ok: false,
  error: { kind: 'secret_store_error', reason: 'the answer was cut off' },
} as const

describe('a connection', () => {
  test('that is refused is an outage, which is logged once', async () => {
    const { client, logged } = openClient([`http://127.0.0.1:${freePort()}`])
    expect(await client.send(READ)).toStrictEqual(unreachable)
    expect(await client.send(WRITE)).toStrictEqual(unreachable)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatch(
      /^an address of the secret store fails \{"address":"http:\/\/127\.0\.0\.1:\d+","code":"ECONNREFUSED"\}$/,
    )
  })

  test('that is reset may have had an effect: only a read is sent again', async () => {
    using host = await startRawHost((socket, _, index) =>
      index === 0 ? void socket.resetAndDestroy() : void socket.write(OK),
    )
    expect(await openClient([host.url]).client.send(WRITE)).toStrictEqual(unreachable)
    expect(host.requests).toHaveLength(1)

    using other = await startRawHost((socket, _, index) =>
      index % 2 === 0 ? void socket.resetAndDestroy() : void socket.write(OK),
    )
    const login = { ...WRITE, token: null, repeatable: true }
    expect(await openClient([other.url]).client.send(login)).toMatchObject({ ok: true })
    expect(other.requests).toHaveLength(2)
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
      const { client, logged } = openClient([url], { authority: trusted })
      expect(await client.send(READ)).toStrictEqual(unreachable)
      expect(logged).toStrictEqual([
        `an address of the secret store fails {"address":"${url}","code":"${code}"}`,
      ])
    }
    const { client } = openClient([misnamed.url, host.url], { authority: authority.pem })
    expect(await client.send(WRITE)).toMatchObject({ ok: true })
    expect([misnamed.requests.length, host.requests.length]).toStrictEqual([0, 1])
  })
})

describe('an answer', () => {
  test('that is cut off is an error: only a read is sent again', async () => {
    for (let at = 1; at < OK.byteLength; at += 17) {
      using host = await startRawHost((socket, _, index) =>
        index === 0 ? void socket.end(OK.subarray(0, at)) : void socket.end(OK),
      )
      const { client } = openClient([host.url])
      const written = await client.send(WRITE)
      expect([at, written.ok, host.requests.length]).toStrictEqual([at, false, 1])
      expect(await client.send(READ)).toMatchObject({ ok: true })
    }
    using host = await startRawHost((socket) => void socket.end(OK.subarray(0, -1)))
    expect(await openClient([host.url]).client.send(READ)).toStrictEqual(cut)
    expect(host.requests).toHaveLength(4)
  })

  test.each([
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-t'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a'],
  ])('that stops after %s is a timeout: only a read is sent again', async (_, text) => {
    using host = await startRawHost((socket) => void socket.write(text))
    const { client } = openClient([host.url], { deadlineMs: 1_000 })
    expect(await client.send(WRITE)).toStrictEqual(timeout)
    expect(host.requests).toHaveLength(1)
    expect(await client.send(READ)).toStrictEqual(timeout)
    expect(host.requests.length).toBeGreaterThan(2)
  })

  test('that a dead connection swallows is asked for again in time', async () => {
    using host = await startRawHost((socket, _, index) => {
      if (index > 0) socket.write(OK)
    })
    const { client } = openClient([host.url], { deadlineMs: 3_000 })
    expect(await client.send(READ)).toMatchObject({ ok: true })
    expect(host.requests).toHaveLength(2)
  })
})

test('a write has the whole deadline for its answer', async () => {
  const arrived = Promise.withResolvers<() => void>()
  using host = await startRawHost((socket) => arrived.resolve(() => void socket.write(OK)))
  const { client } = openClient([host.url], { deadlineMs: 2_000 })
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

describe('many requests at once', () => {
  test('are 16 at most; then what was asked last goes first, such as the next request of work that has begun', async () => {
    const started: string[] = []
    const answer: (() => void)[] = []
    const send = createSend({
      addresses: createAddresses([new URL('http://127.0.0.1')], {
        clock: systemClock,
        log: silentLog,
      }),
      deadlineMs: 5_000,
      pauseMs: 1,
      attempt: (_, { path }) => {
        const { promise, resolve } = Promise.withResolvers<Result<VaultAnswer, never>>()
        started.push(path)
        answer.push(() => resolve(ok({ status: 200, json: path })))
        return promise
      },
    })
    const paths = Array.from({ length: 40 }, (_, at) => String(at))
    const sent = Promise.all(paths.map((path) => send({ ...READ, path })))
    await Bun.sleep(0)
    expect(started).toStrictEqual(paths.slice(0, 16))
    for (let at = 0; at < 40; at += 1) {
      answer[at]?.()
      await Bun.sleep(0)
      expect(started).toHaveLength(Math.min(40, 17 + at))
    }
    expect(started.slice(16)).toStrictEqual(paths.slice(16).toReversed())
    expect(await sent).toMatchObject(paths.map((json) => ({ ok: true, value: { json } })))
  })

  test('that find no room in time are timeouts', async () => {
    const answer = Promise.withResolvers<Result<VaultAnswer, never>>()
    let started = 0
    const send = createSend({
      addresses: createAddresses([new URL('http://127.0.0.1')], {
        clock: systemClock,
        log: silentLog,
      }),
      deadlineMs: 50,
      pauseMs: 1,
      attempt: () => {
        started += 1
        return answer.promise
      },
    })
    const sent = Array.from({ length: 20 }, () => send(WRITE))
    const late = await Promise.all(sent.slice(16))
    expect(late).toStrictEqual(Array.from({ length: 4 }, () => timeout))
    expect(started).toBe(16)
    answer.resolve(ok({ status: 200, json: {} }))
    await Promise.all(sent)
  })

  test('that wait for a quota leave room for others', async () => {
    const refused = rawAnswer({ status: 429, json: { errors: ['rate limit quota exceeded'] } })
    const isSlow = (target: string) => target.endsWith('/slow')
    const seen = { slow: 0 }
    const full = Promise.withResolvers<void>()
    using host = await startRawHost((socket, { target }) => {
      if (!isSlow(target)) return void socket.write(OK)
      seen.slow += 1
      if (seen.slow === 16) full.resolve()
      socket.write(seen.slow > 16 ? OK : refused)
    })
    const { client } = openClient([host.url])
    const slow = Array.from({ length: 16 }, () => client.send({ ...READ, path: 'slow' }))
    await full.promise
    expect(await client.send(READ)).toMatchObject({ ok: true })
    expect(seen.slow).toBe(16)
    expect((await Promise.all(slow)).every(({ ok }) => ok)).toBe(true)
  })
})

test('a token that fits no header is not sent, and not quoted', async () => {
  using host = await startRawHost((socket) => void socket.write(OK))
  const { client } = openClient([host.url])
  for (const token of ['', 's.a\nx-vault-namespace: other', 's.ä']) {
    expect(await client.send({ ...READ, token })).toMatchObject({
      ok: false,
      error: { kind: 'secret_store_denied' },
    })
  }
  expect(host.requests).toHaveLength(0)
})
