import { describe, expect, test } from 'bun:test'
import {
  nextMinute,
  openPortal,
  type Person,
  type TestPortal,
  type TestRequest,
} from '#tests/support/portal.ts'
import { auditRows } from '#tests/support/audit-rows.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const MINUTE_MS = 60_000
const SESSION_ID = 'a'.repeat(64)
const RUN_ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'
const PROMOTION = '/api/v1/catalog/entities/component/payments-api/promotion'
const SHOWN = '/api/v1/clusters/dev-east/namespaces/payments-dev'

async function open(environment: Readonly<Record<string, string>>) {
  const portal = await openPortal({ environment })
  nextMinute(portal)
  return portal
}

const post = (body: unknown): TestRequest => ({ json: body })

async function codeOf(portal: TestPortal, path: string, init: TestRequest): Promise<string> {
  const response = await portal.request(path, { as: 'dev', ...init })
  if (response.status < 400) {
    await response.body?.cancel()
    return 'done'
  }
  const { code } = (await response.json()) as { code: string }
  return code
}

const promote = post({ targetLifecycle: 'production' })
const denied = (portal: TestPortal, as: Person, from = '203.0.113.7') =>
  codeOf(portal, PROMOTION, { ...promote, as, from })

describe('each route that costs something has the limit of its kind', () => {
  /** Writing routes that are never refused. */
  const UNLIMITED = ['POST /api/v1/auth/logout']
  const OPEN = [
    'POST /api/v1/auth/backchannel-logout',
    'POST /api/v1/webhooks/catalog/refresh',
    'POST /git/:owner/:repository/git-receive-pack',
    'POST /git/:owner/:repository/git-upload-pack',
    'POST /mcp',
    'POST /oauth/revoke',
    'POST /oauth/token',
  ]

  test('writes share one', async () => {
    await using portal = await open({ WRITES_PER_MINUTE: '1', VALIDATIONS_PER_MINUTE: '1' })
    const end = { method: 'DELETE' }
    expect(await codeOf(portal, `/api/v1/auth/sessions/${SESSION_ID}`, end)).toBe(
      'session_not_found',
    )
    expect(await codeOf(portal, '/api/v1/catalog/validate', post({}))).toBe('done')
    const writing = portal.portal.app.elysia.routes
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }))
      .filter(({ name }) => ![...UNLIMITED, ...OPEN].includes(name))
    expect(writing.length).toBeGreaterThan(8)
    for (const { method, path, name } of writing) {
      const url = path
        .replace(':kind', path.includes('/workloads/') ? 'deployment' : 'component')
        .replace(':clusterId', 'dev-east')
        .replace(':namespace', 'payments-dev')
        .replace(':name', 'payments-api')
        .replace(':owner', 'acme')
        .replace(':repository', 'gitops')
        .replace(':number', '1')
        .replace(':id', /sessions|grants/.test(path) ? SESSION_ID : RUN_ID)
      const code = await codeOf(portal, url, { method })
      expect([name, code]).toStrictEqual([name, 'rate_limited'])
    }
    expect(await codeOf(portal, '/api/v1/auth/logout', { method: 'POST' })).toBe('done')
  })

  test('previews do not count as writes', async () => {
    await using portal = await open({ DRY_RUNS_PER_MINUTE: '1' })
    expect(await codeOf(portal, `${PROMOTION}?dryRun=true`, promote)).toBe('forbidden')
    expect(await codeOf(portal, `${PROMOTION}?dryRun=true`, promote)).toBe('rate_limited')
    expect(await codeOf(portal, '/api/v1/scaffold?dryRun=true', post({}))).toBe('rate_limited')
    expect(await codeOf(portal, PROMOTION, promote)).toBe('forbidden')
    expect(await codeOf(portal, `${PROMOTION}?dryRun=false`, promote)).toBe('forbidden')
  })

  test('streams do, lists and HEAD do not', async () => {
    await using portal = await open({ STREAMS_PER_MINUTE: '1' })
    const paths = [
      `/api/v1/scaffold/runs/${RUN_ID}/events`,
      `${SHOWN}/pods?watch=true`,
      `${SHOWN}/deployments?watch=true`,
      `${SHOWN}/pods/api-1/log`,
    ]
    const first = paths[0] ?? ''
    expect(await codeOf(portal, first, {})).toBe('run_not_found')
    for (const path of paths)
      expect([path, await codeOf(portal, path, {})]).toStrictEqual([path, 'rate_limited'])
    expect(await codeOf(portal, `${SHOWN}/pods`, {})).toBe('cluster_not_found')
    expect((await portal.request(first, { as: 'dev', method: 'HEAD' })).status).toBe(404)
  })
})

test('reads of git and of clusters share one, which no database counts', async () => {
  await using portal = await open({ READS_PER_MINUTE: '2' })
  const paths = [
    PROMOTION,
    `${PROMOTION}/history?environment=dev`,
    `${SHOWN}/pods`,
    `${SHOWN}/deployments`,
    `${SHOWN}/pods/api-1/events`,
    `${SHOWN}/deployments/api/events`,
    '/api/v1/clusters/dev-east/namespaces',
  ]
  for (const path of paths.slice(0, 2))
    expect(await codeOf(portal, path, {})).not.toBe('rate_limited')
  for (const path of paths)
    expect([path, await codeOf(portal, path, {})]).toStrictEqual([path, 'rate_limited'])
  expect(await codeOf(portal, PROMOTION, { as: 'platform' })).not.toBe('rate_limited')
  expect(await codeOf(portal, '/api/v1/catalog/entities', {})).toBe('done')
  nextMinute(portal)
  expect(await codeOf(portal, PROMOTION, {})).not.toBe('rate_limited')
  await portal.portal.limits.sweep()
  expect((await auditRows(portal)).filter(({ action }) => action === 'limit.read')).toHaveLength(0)
})

describe('a limit', () => {
  test('is 429 with the time to wait, before the body is read', async () => {
    await using portal = await open({ WRITES_PER_MINUTE: '2' })
    const codes = [
      await denied(portal, 'dev'),
      await denied(portal, 'dev'),
      await denied(portal, 'dev'),
    ]
    expect(codes).toStrictEqual(['forbidden', 'forbidden', 'rate_limited'])
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
    const refused = await portal.request(PROMOTION, { ...promote, as: 'dev', body })
    expect(refused.status).toBe(429)
    expect(isRead).toBe(false)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeWithin(1, 61)
    portal.clock.advance(seconds * 1000)
    expect(await denied(portal, 'dev')).toBe('forbidden')
  })

  test('is of a person, in all of their sessions', async () => {
    await using portal = await open({ WRITES_PER_MINUTE: '1' })
    expect(await denied(portal, 'dev')).toBe('forbidden')
    portal.forget('dev')
    expect(await denied(portal, 'dev', '198.51.100.1')).toBe('rate_limited')
    expect(await denied(portal, 'outsider')).toBe('forbidden')
  })

  test('is of an address, whose people are refused together; what one person is refused does not count there', async () => {
    await using portal = await open({ WRITES_PER_MINUTE: '2', LIMIT_PERSONS_PER_ADDRESS: '1' })
    expect(await denied(portal, 'dev')).toBe('forbidden')
    expect(await denied(portal, 'outsider')).toBe('forbidden')
    expect(await denied(portal, 'outsider')).toBe('rate_limited')
    expect(await denied(portal, 'outsider', '198.51.100.1')).toBe('rate_limited')
    expect(await denied(portal, 'dev', '198.51.100.1')).toBe('forbidden')
    expect(await denied(portal, 'dev', '198.51.100.1')).toBe('rate_limited')
    expect(await denied(portal, 'manager', '198.51.100.1')).not.toBe('rate_limited')
  })
})

test('a limit is one for all replicas', async () => {
  await using place = await openFolder()
  const databaseUrl = `sqlite:${place.path}/db`
  const environment = { WRITES_PER_MINUTE: '3' }
  await using one = await openPortal({ environment, databaseUrl })
  await using two = await openPortal({ environment, databaseUrl })
  nextMinute(one, two)
  const codes: string[] = []
  for (const replica of [one, two, one, two, one]) codes.push(await denied(replica, 'dev'))
  expect(codes).toStrictEqual([
    ...Array.from({ length: 3 }, () => 'forbidden'),
    'rate_limited',
    'rate_limited',
  ])
})

test('a flood of 100 denied promotions leaves its limit in rows, and one with the number', async () => {
  await using portal = await open({ WRITES_PER_MINUTE: '3', LIMIT_PERSONS_PER_ADDRESS: '100' })
  const flood = await Promise.all(Array.from({ length: 100 }, () => denied(portal, 'dev')))
  expect(flood.filter((code) => code !== 'rate_limited')).toHaveLength(3)
  expect(await auditRows(portal)).toHaveLength(3)
  portal.clock.advance(3 * MINUTE_MS)
  await portal.portal.limits.sweep()
  expect((await auditRows(portal)).slice(3)).toMatchObject([
    {
      actor: { subject: 'dev' },
      action: 'limit.write',
      target: 'person/dev',
      result: 'denied',
      code: 'rate_limited',
      requestId: null,
      details: { refused: 97 },
    },
  ])
})

test('the row of an address has its network', async () => {
  await using portal = await open({ WRITES_PER_MINUTE: '1', LIMIT_PERSONS_PER_ADDRESS: '1' })
  for (const person of ['dev', 'outsider', 'manager'] as const) {
    await denied(portal, person, '2001:db8:0:1::7')
  }
  portal.clock.advance(3 * MINUTE_MS)
  await portal.portal.limits.sweep()
  expect((await auditRows(portal)).filter(({ code }) => code === 'rate_limited')).toMatchObject([
    {
      actor: { subject: null },
      action: 'limit.write',
      target: 'address',
      address: '2001:db8:0:1::/64',
      details: { refused: 2 },
    },
  ])
})
