import { describe, expect, test } from 'bun:test'
import { answers, rawAnswer, startRawHost, type AnswerParts } from '#tests/peers/raw-host.ts'
import { openClient } from './open-client.ts'

const HOUR_SECONDS = 3_600
const now = () => Date.UTC(2026, 0, 1) / 1_000
const limited = (retryAfterSeconds: number) => ({
  ok: false as const,
  error: { kind: 'git_rate_limited' as const, retryAfterSeconds },
})
const message = (text: string) => ({ message: text })
const PRIMARY = (seconds: number, status = 403): AnswerParts => ({
  status,
  headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now() + seconds) },
  json: message('API rate limit exceeded for installation ID 1.'),
})
const SECONDARY: AnswerParts = {
  status: 403,
  json: message('You have exceeded a secondary rate limit. Please wait a few minutes.'),
}

describe('a rate limit', () => {
  test.each([
    ['primary, 403', PRIMARY(3 * HOUR_SECONDS), 3 * HOUR_SECONDS],
    ['primary, 429', PRIMARY(600, 429), 600],
    ['secondary with a time', { status: 403, headers: { 'retry-after': '30' } }, 30],
    ['secondary with a time, 429', { status: 429, headers: { 'retry-after': '61' } }, 61],
    ['secondary by its text alone', SECONDARY, 60],
    [
      'abuse detection',
      { status: 403, json: message('You have triggered an abuse detection mechanism.') },
      60,
    ],
    ['429 alone', { status: 429 }, 60],
    ['429 with a page', { status: 429, headers: { 'content-type': 'text/html' }, body: '<p>' }, 60],
    [
      '429 with a date',
      { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' } },
      7,
    ],
    ['a time in the past of our clock', PRIMARY(-100), 1],
    [
      'a time of years',
      { status: 429, headers: { 'retry-after': '999999999' } },
      24 * HOUR_SECONDS,
    ],
  ] as const)('%s', async (_, answer, seconds) => {
    using host = await startRawHost(answers(answer))
    expect(await openClient(host.url).client.write('POST', '/a')).toStrictEqual(limited(seconds))
    expect(host.requests).toHaveLength(1)
  })

  test.each([
    ['a missing permission', 'Resource not accessible by integration'],
    ['an archived repository', 'Repository was archived so is read-only.'],
    ['single sign-on', 'Resource protected by organization SAML enforcement.'],
  ])('is not %s, not even by the last request of the hour', async (_, text) => {
    using host = await startRawHost(answers({ ...PRIMARY(600), json: message(text) }))
    const answer = await openClient(host.url).client.read('/a')
    expect(answer.ok && answer.value.status).toBe(403)
  })

  test('of three hours: no request meanwhile, one afterwards', async () => {
    using host = await startRawHost(answers(PRIMARY(3 * HOUR_SECONDS), { json: 'back' }))
    const { client, clock, logged } = openClient(host.url)
    expect(await client.read('/a')).toStrictEqual(limited(3 * HOUR_SECONDS))
    clock.nowMs += HOUR_SECONDS * 1_000
    const calls = [client.read('/b'), client.write('POST', '/c')]
    for (const call of calls) expect(await call).toStrictEqual(limited(2 * HOUR_SECONDS))
    expect(host.requests).toHaveLength(1)
    expect(logged).toHaveLength(1)
    clock.nowMs += 2 * HOUR_SECONDS * 1_000
    const back = await client.read('/a')
    expect(back.ok && back.value.json).toBe('back')
    expect(host.requests).toHaveLength(2)
  })

  test('that is short is waited out by a read, and by the next write, which is not repeated', async () => {
    const short = { status: 429, headers: { 'retry-after': '1' } }
    using host = await startRawHost(answers(short, { json: 1 }, short, { json: 2 }))
    const { client } = openClient(host.url)
    const read = await client.read('/a')
    expect(read.ok && read.value.json).toBe(1)
    expect(await client.write('POST', '/b')).toStrictEqual(limited(1))
    const written = await client.write('POST', '/c')
    expect(written.ok && written.value.json).toBe(2)
    expect(host.requests.map(({ target }) => target)).toStrictEqual(['/a', '/a', '/b', '/c'])
  })

  test('longer than the deadline is no reason to wait', async () => {
    using host = await startRawHost(answers({ status: 429, headers: { 'retry-after': '4' } }))
    const { client } = openClient(host.url, { deadlineMs: 3_900 })
    expect(await client.read('/a')).toStrictEqual(limited(4))
    expect(await client.write('POST', '/a')).toStrictEqual(limited(4))
    expect(host.requests).toHaveLength(1)
  })

  test('without a time doubles while it is repeated, up to an hour, and begins anew after a success', async () => {
    using host = await startRawHost((socket, _, index) => {
      socket.write(rawAnswer(index === 8 ? { json: {} } : SECONDARY))
    })
    const { client, clock } = openClient(host.url)
    const seconds: unknown[] = []
    for (let call = 0; call < 10; call += 1) {
      const outcome = await client.write('POST', '/a')
      seconds.push(outcome.ok ? 'success' : outcome.error)
      clock.nowMs += HOUR_SECONDS * 1_000
    }
    expect(seconds).toStrictEqual(
      [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 'success', 60].map((value) =>
        typeof value === 'number' ? limited(value).error : value,
      ),
    )
  })

  test('met by many requests at once counts once', async () => {
    const held: (() => void)[] = []
    using host = await startRawHost((socket, _, index) => {
      held.push(() => socket.write(rawAnswer(SECONDARY)))
      if (index === 3) for (const answer of held) answer()
    })
    const { client } = openClient(host.url)
    const calls = ['/a', '/b', '/c', '/d'].map((path) => client.write('POST', path))
    for (const call of calls) expect(await call).toStrictEqual(limited(60))
  })

  test.each([
    ['a shorter one', { status: 429, headers: { 'retry-after': '9' } }],
    ['a success', { json: {} }],
  ] as const)('is not shortened by %s of a request that was under way', async (_, late) => {
    const held: (() => void)[] = []
    const both = Promise.withResolvers<void>()
    using host = await startRawHost((socket, { target }) => {
      held.push(() => void socket.write(rawAnswer(target === '/late' ? late : SECONDARY)))
      if (held.length === 2) both.resolve()
    })
    const { client } = openClient(host.url)
    const calls = [client.write('POST', '/limited'), client.write('POST', '/late')]
    await both.promise
    const isFirst = host.requests[0]?.target === '/limited'
    const [limitedCall, lateCall] = calls
    held[isFirst ? 0 : 1]?.()
    expect(await limitedCall).toStrictEqual(limited(60))
    held[isFirst ? 1 : 0]?.()
    await lateCall
    expect(await client.read('/a')).toStrictEqual(limited(60))
    expect(host.requests).toHaveLength(2)
  })

  test('is tried by one request after its end, while the others wait for its answer', async () => {
    let answerTrial = () => {}
    const arrived = Promise.withResolvers<void>()
    using host = await startRawHost((socket, _, index) => {
      if (index !== 1) return void socket.write(rawAnswer(SECONDARY))
      answerTrial = () => void socket.write(rawAnswer(SECONDARY))
      arrived.resolve()
    })
    const { client, clock } = openClient(host.url)
    await client.write('POST', '/a')
    clock.nowMs += HOUR_SECONDS * 1_000
    const calls = ['/b', '/c', '/d'].map((path) => client.read(path))
    await arrived.promise
    answerTrial()
    for (const call of calls) expect(await call).toStrictEqual(limited(120))
    expect(host.requests).toHaveLength(2)
  })

  test('is over for all who wait once one request is accepted', async () => {
    const held: (() => void)[] = []
    using host = await startRawHost((socket, _, index) => {
      if (index === 0) return void socket.write(rawAnswer(SECONDARY))
      if (index === 1) return void socket.write(rawAnswer({ json: {} }))
      held.push(() => void socket.write(rawAnswer({ json: {} })))
      if (held.length === 3) for (const answer of held) answer()
    })
    const { client, clock } = openClient(host.url)
    await client.write('POST', '/a')
    clock.nowMs += HOUR_SECONDS * 1_000
    const calls = ['/b', '/c', '/d', '/e'].map((path) => client.read(path))
    for (const call of calls) expect((await call).ok).toBe(true)
  })

  test('is tried again by the next when the trial finds no host', async () => {
    using host = await startRawHost((socket, _, index) => {
      if (index === 1) socket.destroy()
      else socket.write(rawAnswer(index === 0 ? SECONDARY : { json: index }))
    })
    const { client, clock } = openClient(host.url)
    await client.write('POST', '/a')
    clock.nowMs += HOUR_SECONDS * 1_000
    const calls = ['/b', '/c'].map((path) => client.write('POST', path))
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toStrictEqual([false, true])
  })

  test('ends when the clock is set back', async () => {
    using host = await startRawHost(answers(PRIMARY(600), { json: {} }))
    const { client, clock } = openClient(host.url)
    await client.write('POST', '/a')
    clock.nowMs -= 1
    expect((await client.read('/a')).ok).toBe(true)
  })
})

describe('what is left of the limit', () => {
  const left = (resource?: string): AnswerParts => ({
    json: {},
    headers: {
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': '1800000000',
      ...(resource !== undefined && { 'x-ratelimit-resource': resource }),
    },
  })
  test('is reported of every answer', async () => {
    using host = await startRawHost(answers(left(), left('core'), left('search'), { json: {} }))
    const { client, left: reported } = openClient(host.url)
    for (let call = 0; call < 4; call += 1) await client.read('/a')
    const report = { remaining: 4_999, resetsAt: 1_800_000_000_000 }
    expect(reported).toStrictEqual([report, report])
  })
})

describe('repetitions', () => {
  const failing = [502, 503, 504] as const
  test.each(failing)('a read is repeated after %i', async (status) => {
    using host = await startRawHost(answers({ status }, { status }, { json: 'third' }))
    const answer = await openClient(host.url).client.read('/a')
    expect(answer.ok && answer.value.json).toBe('third')
  })

  const outage = ({ url }: { readonly url: string }, status: number) => ({
    ok: false as const,
    error: { kind: 'git_host_unreachable' as const, reason: `${url} answered with ${status}` },
  })

  test('twice and no more', async () => {
    using host = await startRawHost(answers({ status: 502 }))
    expect(await openClient(host.url).client.read('/a')).toStrictEqual(outage(host, 502))
    expect(host.requests).toHaveLength(3)
  })

  test.each([
    [500, {}, 'git_host_error'],
    [501, {}, 'git_host_error'],
    [503, { 'retry-after': '600' }, 'git_host_unreachable'],
  ] as const)('not after %i %o', async (status, headers, kind) => {
    using host = await startRawHost(answers({ status, headers }))
    const reason = expect.stringContaining(`answered with ${status}`)
    expect(await openClient(host.url).client.read('/a')).toMatchObject({ error: { kind, reason } })
    expect(host.requests).toHaveLength(1)
  })

  test.each(failing)('%i is an outage, of writes too, and logged once', async (status) => {
    using host = await startRawHost(answers({ status, headers: { 'content-type': 'text/html' } }))
    const { client, logged } = openClient(host.url)
    const failed = outage(host, status)
    expect(await client.write('POST', '/a', {})).toStrictEqual(failed)
    expect(await client.read('/a')).toStrictEqual(failed)
    expect(logged).toStrictEqual([`the git host cannot be reached ${JSON.stringify(failed.error)}`])
  })

  test('after a connection that is closed', async () => {
    using host = await startRawHost((socket, _, index) => {
      if (index === 0) socket.destroy()
      else socket.write(rawAnswer({ json: 1 }))
    })
    expect((await openClient(host.url).client.read('/a')).ok).toBe(true)
  })

  test('not beyond the deadline', async () => {
    using host = await startRawHost(answers({ status: 503, headers: { 'retry-after': '5' } }))
    const { client } = openClient(host.url, { deadlineMs: 4_900 })
    expect(await client.read('/a')).toStrictEqual(outage(host, 503))
    expect(host.requests).toHaveLength(1)
  })

  test.each([
    ['502', (socket) => void socket.write(rawAnswer({ status: 502 }))],
    ['503', (socket) => void socket.write(rawAnswer({ status: 503 }))],
    ['a closed connection', (socket) => void socket.destroy()],
    ['half an answer', (socket) => void socket.end(rawAnswer({ json: {} }).subarray(0, -1))],
    ['an answer without an end', (socket) => void socket.end('HTTP/1.1 201 x\r\n\r\n{"sha":')],
  ] satisfies [string, Parameters<typeof startRawHost>[0]][])(
    'never of a write: %s',
    async (_, reply) => {
      using host = await startRawHost(reply)
      for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'] as const) {
        const { client } = openClient(host.url)
        expect((await client.write(method, '/a', { a: 1 })).ok).toBe(false)
      }
      expect(host.requests.map(({ method }) => method)).toStrictEqual([
        'POST',
        'PATCH',
        'PUT',
        'DELETE',
      ])
    },
  )

  test('never of a write on a connection that was kept open', async () => {
    using host = await startRawHost((socket, _, index) => {
      if (index === 0) socket.write(rawAnswer({ json: {} }))
      else socket.destroy()
    })
    const { client } = openClient(host.url)
    await client.read('/a')
    expect(await client.write('POST', '/b')).toMatchObject({
      error: { kind: 'git_host_unreachable' },
    })
    expect(host.requests).toHaveLength(2)
  })
})

test('16 reads and 4 writes are under way at once; the others wait, within their deadline', async () => {
  const held: (() => void)[] = []
  const arrived = Promise.withResolvers<void>()
  using host = await startRawHost((socket, _, index) => {
    held.push(() => void socket.write(rawAnswer({ json: {} })))
    if (index === 19) arrived.resolve()
  })
  const { client } = openClient(host.url)
  const calls = [
    ...Array.from({ length: 17 }, () => client.read('/a')),
    ...Array.from({ length: 5 }, () => client.write('POST', '/b')),
  ]
  await arrived.promise
  const impatient = openClient(host.url).client
  expect((await impatient.write('POST', '/c', {}, { deadlineMs: 1 })).ok).toBe(false)
  const inFlight = host.requests.filter(({ target }) => target !== '/c')
  expect(inFlight.filter(({ method }) => method === 'GET')).toHaveLength(16)
  expect(inFlight.filter(({ method }) => method === 'POST')).toHaveLength(4)
  const answerAll = setInterval(() => {
    for (const answer of held.splice(0)) answer()
  }, 1)
  expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true)
  clearInterval(answerAll)
})
