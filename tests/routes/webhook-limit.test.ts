import { createHmac } from 'node:crypto'
import { describe, expect, jest, test } from 'bun:test'
import { nextMinute, openPortal, type TestPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import { auditRows } from '#tests/support/audit-rows.ts'

const REFRESH = '/api/v1/webhooks/catalog/refresh'
const CLIENT = '203.0.113.7'
const MINUTE = 60_000

const call = (
  portal: TestPortal,
  {
    from = CLIENT,
    headers = { authorization: 'Bearer not-the-token-of-tests' },
    body,
  }: {
    readonly from?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: RequestInit['body']
  } = {},
) => portal.request(REFRESH, { method: 'POST', from, headers, ...(body !== undefined && { body }) })

const withToken = { authorization: `Bearer ${WEBHOOK_TOKEN}` }
const signed = (body: string, token = WEBHOOK_TOKEN) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', token).update(body).digest('hex')}`,
})

const open = (perMinute: number, environment: Readonly<Record<string, string>> = {}) =>
  openPortal({
    environment: { FAILED_WEBHOOK_CALLS_PER_MINUTE: String(perMinute), ...environment },
  })

async function statuses(portal: TestPortal, calls: number, from = CLIENT) {
  const found: number[] = []
  for (let index = 0; index < calls; index += 1) found.push((await call(portal, { from })).status)
  return found
}

describe('webhook calls without a valid token', () => {
  test('are 401 up to the limit, then 429 until the minute ends', async () => {
    await using portal = await open(3)
    nextMinute(portal)
    expect(await statuses(portal, 5)).toStrictEqual([401, 401, 401, 429, 429])
    const refused = await call(portal)
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeWithin(1, 61)
    portal.clock.advance(seconds * 1000)
    expect(await statuses(portal, 4)).toStrictEqual([401, 401, 401, 429])
  })

  test('count per address, those of IPv6 per /64', async () => {
    await using portal = await open(1)
    nextMinute(portal)
    expect(await statuses(portal, 2)).toStrictEqual([401, 429])
    expect(await statuses(portal, 1, '203.0.113.8')).toStrictEqual([401])
    expect(await statuses(portal, 1, '2001:db8:0:1::1')).toStrictEqual([401])
    expect(await statuses(portal, 1, '2001:db8:0:1:ffff::2')).toStrictEqual([429])
    expect(await statuses(portal, 1, '2001:db8:0:2::1')).toStrictEqual([401])
  })

  test('SEC-R3 count for the peer, whatever X-Forwarded-For claims', async () => {
    await using portal = await open(2)
    nextMinute(portal)
    const claims = ['198.51.100.1', '198.51.100.2', '198.51.100.3, 10.0.0.1']
    const found = await Array.fromAsync(claims, (claim) =>
      call(portal, { headers: { 'x-forwarded-for': claim } }),
    )
    expect(found.map(({ status }) => status)).toStrictEqual([401, 401, 429])
  })

  test('behind a trusted proxy count for the client', async () => {
    await using portal = await open(1, { TRUSTED_PROXIES: '10.0.0.0/8' })
    nextMinute(portal)
    const through = async (forwardedFor: string) => {
      const headers = { 'x-forwarded-for': forwardedFor }
      return (await call(portal, { from: '10.1.2.3', headers })).status
    }
    expect(await through(CLIENT)).toBe(401)
    expect(await through(`198.51.100.1, ${CLIENT}`)).toBe(429)
    expect(await through('203.0.113.8')).toBe(401)
  })

  test('are refused before a body is read', async () => {
    await using portal = await open(1)
    nextMinute(portal)
    await call(portal)
    let isRead = false
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    expect((await call(portal, { body })).status).toBe(429)
    expect(isRead).toBe(false)
  })

  test('count with a wrong signature too', async () => {
    await using portal = await open(1)
    nextMinute(portal)
    const wrong = { headers: signed('{}', 'another-token-than-ours'), body: '{}' }
    expect((await call(portal, wrong)).status).toBe(401)
    expect((await call(portal, wrong)).status).toBe(429)
  })
})

describe('valid webhook calls', () => {
  test('SEC-W1 pass through a flood of 2,000 wrong ones of the same address', async () => {
    await using portal = await open(60)
    nextMinute(portal)
    const counts = new Map<number, number>()
    for (let batch = 0; batch < 20; batch += 1) {
      const wrong = await Promise.all(Array.from({ length: 100 }, () => call(portal)))
      for (const { status } of wrong) counts.set(status, (counts.get(status) ?? 0) + 1)
      expect((await call(portal, { headers: withToken })).status).toBe(204)
      const body = `{"batch":${batch}}`
      expect((await call(portal, { headers: signed(body), body })).status).toBe(204)
    }
    expect(Object.fromEntries(counts)).toStrictEqual({ 401: 60, 429: 1_940 })
    expect(await auditRows(portal)).toHaveLength(60)
    expect(portal.logged.filter((line) => line.includes('"msg":"audit"'))).toHaveLength(60)
  })

  test('are not counted', async () => {
    await using portal = await open(1)
    nextMinute(portal)
    for (let index = 0; index < 5; index += 1) {
      expect((await call(portal, { headers: withToken })).status).toBe(204)
    }
    expect(await statuses(portal, 2)).toStrictEqual([401, 429])
    expect(await auditRows(portal)).toHaveLength(1)
  })
})

describe('the audit of refused webhook calls', () => {
  test('has a row for each up to the limit, then one row with the number', async () => {
    await using portal = await open(2)
    nextMinute(portal)
    await statuses(portal, 10)
    await statuses(portal, 1, '2001:db8::1')
    portal.clock.advance(3 * MINUTE)
    await portal.portal.limits.sweep()
    const row = {
      actor: { subject: null, name: 'unknown' },
      action: 'catalog.refresh',
      target: 'catalog',
      team: null,
      result: 'denied',
      code: 'webhook_unauthorized',
      groups: [],
      revision: null,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      address: CLIENT,
      details: {},
    }
    expect(await auditRows(portal)).toMatchObject([
      row,
      row,
      { ...row, address: '2001:db8::1' },
      { ...row, code: 'rate_limited', requestId: null, details: { refused: 8 } },
    ])
  })
})

test('a running portal reports by itself what was refused', async () => {
  await using portal = await open(2)
  nextMinute(portal)
  await statuses(portal, 5)
  jest.useFakeTimers()
  try {
    void portal.portal.start()
    portal.clock.advance(3 * MINUTE)
    jest.advanceTimersByTime(MINUTE)
  } finally {
    jest.useRealTimers()
  }
  const reported = async () =>
    (await auditRows(portal)).filter(({ code }) => code === 'rate_limited')
  for (let attempt = 0; attempt < 200 && (await reported()).length === 0; attempt += 1) {
    await Bun.sleep(10)
  }
  expect((await reported()).map(({ details }) => details['refused'])).toStrictEqual([3])
})
