import { describe, expect, test } from 'bun:test'
import type { RenewalFailure } from '#src/lib/ports/identity.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal, type TestPortal, type TestRequest } from '#tests/support/portal.ts'
import { list, world } from './cluster-world.ts'
import { recordsOf } from '#tests/support/audit-rows.ts'

const MINUTE = 60_000
const RUN_ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'

/** Routes where a role decides, each with a request that their schema accepts. */
const DECIDING: Readonly<Record<string, object | null>> = {
  'GET /api/v1/audit': null,
  'GET /api/v1/audit/:id': null,
  'POST /api/v1/auth/sessions/revoke': { subject: 'manager' },
  'POST /api/v1/catalog/entities/:kind/:name/promotion': { targetLifecycle: 'development' },
  'POST /api/v1/catalog/entities/:kind/:name/promotion/confirm': {},
  'POST /api/v1/clusters/:clusterId/namespaces/:namespace/deployments/:name/restart': {},
  'GET /api/v1/git/repositories/:owner/:name/deploy-tokens': null,
  'POST /api/v1/git/repositories/:owner/:name/deploy-tokens': { name: 'argo-cd', access: 'read' },
  'DELETE /api/v1/git/repositories/:owner/:name/deploy-tokens/:id': null,
  'POST /git/new': { name: 'tills', team: 'payments' },
  'GET /git/:owner/:repository/tokens': null,
  'POST /git/:owner/:repository/tokens': { name: 'argo-cd', access: 'read' },
  'POST /git/:owner/:repository/tokens/:id/end': {},
  'POST /git/:owner/:repository/pulls/:number/approve': {},
  'POST /git/:owner/:repository/pulls/:number/close': {},
  'POST /git/:owner/:repository/pulls/:number/merge': {},
  'POST /api/v1/scaffold': {
    templateId: 'service',
    appName: 'refund-api',
    team: 'payments',
    namespace: 'payments-dev',
  },
  'POST /api/v1/scaffold/runs/:id/retry': {},
}

/** Bodies of the other routes that take one. */
const BODIES: Readonly<Record<string, object>> = { 'POST /api/v1/catalog/validate': { a: 1 } }

interface Route {
  readonly method: string
  readonly path: string
}
const nameOf = ({ method, path }: Route) => `${method} ${path}`

const filled = ({ method, path }: Route): string =>
  path
    .replace('repositories/:owner/:name', 'repositories/acme/gitops')
    .replace(':owner/:repository', 'acme/gitops')
    .replace(':number', '1')
    .replace('sessions/:id', `sessions/${'f'.repeat(64)}`)
    .replace(':kind', 'component')
    .replace(':clusterId', 'dev-east')
    .replace(':namespace', 'payments-dev')
    .replace(':name', 'shop')
    .replace(':id', RUN_ID)
    .replace(':os/:arch', 'linux/amd64')
    .replace(':asset', method === 'GET' ? 'page.js' : '')

const sending = (method: string, body: object | null | undefined): TestRequest => ({
  method,
  ...(body && { json: body }),
})

/** A form of a page of the embedded git host. */
const submitting = (fields: object | null | undefined): TestRequest => ({
  undocumented: true,
  headers: { accept: 'application/json' },
  ...(fields && { body: new URLSearchParams({ ...fields }) }),
})

const request = (portal: TestPortal, route: Route, init: TestRequest) =>
  portal.request(filled(route), {
    ...(route.path.startsWith('/git')
      ? { ...submitting(DECIDING[nameOf(route)]), method: route.method }
      : sending(route.method, DECIDING[nameOf(route)] ?? BODIES[nameOf(route)])),
    ...init,
  })

const open = () => world(() => list([]), undefined, { files: applicationFiles() })

/** Everybody's claims are older than five minutes. */
async function grownOld(portal: TestPortal, ...people: readonly ('platform' | 'outsider')[]) {
  for (const person of people) {
    portal.forget(person)
    await portal.signIn(person)
  }
  portal.clock.advance(6 * MINUTE)
  portal.provider.asked.length = 0
}

const routesOf = (portal: TestPortal): readonly Route[] =>
  portal.portal.app.elysia.routes.map(({ method, path }) => ({ method, path }))

const decidingRoutes = Object.keys(DECIDING).map((name) => {
  const [method = '', path = ''] = name.split(' ')
  return { method, path }
})

const codeOf = async (response: Response): Promise<unknown> => {
  const isProblem = response.headers.get('content-type') === 'application/problem+json'
  if (isProblem) return ((await response.json()) as { readonly code: string }).code
  await response.body?.cancel()
  return response.status
}

describe('claims that have grown old', () => {
  test('are renewed for decisions, once each, and for nothing else', async () => {
    await using at = await open()
    const asking: string[] = []
    for (const route of routesOf(at.portal)) {
      await grownOld(at.portal, 'platform')
      await codeOf(await request(at.portal, route, { as: 'platform' }))
      if (at.portal.provider.asked.length > 0) asking.push(nameOf(route))
      expect(at.portal.provider.asked.length).toBeLessThan(2)
    }
    expect(asking.toSorted()).toStrictEqual(Object.keys(DECIDING).toSorted())
  })

  test('whatever refuses a person for their role is such a decision', async () => {
    await using at = await open()
    const refusing: string[] = []
    for (const route of routesOf(at.portal)) {
      at.portal.forget('outsider')
      const code = await codeOf(await request(at.portal, route, { as: 'outsider' }))
      if (code === 'forbidden') refusing.push(nameOf(route))
    }
    expect(refusing).toContain('POST /api/v1/scaffold')
    // A page that changes nothing, and what tells that the provider is away.
    const undecided = ['GET /git/new', 'GET /api/v1/connections']
    const others = refusing.filter((name) => !undecided.includes(name))
    expect(others.filter((name) => !(name in DECIDING))).toStrictEqual([])
  })

  test('of a dry run too', async () => {
    await using at = await open()
    for (const path of ['/api/v1/catalog/entities/:kind/:name/promotion', '/api/v1/scaffold']) {
      await grownOld(at.portal, 'platform')
      const route = { method: 'POST', path }
      const { method } = route
      const init = sending(method, DECIDING[nameOf(route)])
      await at.portal.request(`${filled(route)}?dryRun=true`, { as: 'platform', ...init })
      expect([path, at.portal.provider.asked]).toStrictEqual([path, ['platform']])
    }
  })

  test('are not asked for by a request that is not acceptable', async () => {
    await using at = await open()
    await grownOld(at.portal, 'platform')
    for (const route of decidingRoutes) {
      const { method } = route
      // They have no parameters of a query.
      if (method === 'GET' && /(tokens|:id)$/.test(route.path)) continue
      const bad =
        method === 'GET'
          ? await at.portal.request(`${filled(route)}?limit=x`, { as: 'platform' })
          : await at.portal.request(filled(route), {
              ...(route.path.startsWith('/git') && submitting(null)),
              method,
              as: 'platform',
              body: '{',
              headers: { 'content-type': 'application/json' },
            })
      expect([nameOf(route), bad.status < 500 && bad.status >= 400]).toStrictEqual([
        nameOf(route),
        true,
      ])
    }
    expect(at.portal.provider.asked).toStrictEqual([])
  })
})

describe('when they cannot be renewed, nothing is done', () => {
  const cases: readonly (readonly [RenewalFailure, number, string])[] = [
    [{ kind: 'identity_unreachable' }, 503, 'identity_unreachable'],
    [{ kind: 'identity_timeout' }, 504, 'identity_timeout'],
    [{ kind: 'identity_error', reason: 'secret-reason' }, 502, 'identity_error'],
    [{ kind: 'identity_not_renewable' }, 401, 'session_stale'],
    [{ kind: 'identity_rejected' }, 401, 'session_invalid'],
  ]
  test.each(cases)('%j', async (failure, status, code) => {
    await using at = await open()
    for (const route of decidingRoutes) {
      await grownOld(at.portal, 'platform')
      at.portal.provider.failure = failure
      const response = await request(at.portal, route, { as: 'platform' })
      const body = (await response.json()) as Record<string, unknown>
      expect([nameOf(route), response.status, body['code']]).toStrictEqual([
        nameOf(route),
        status,
        code,
      ])
      expect(body['loginUrl']).toBe(status === 401 ? '/api/v1/auth/login' : undefined)
      expect(JSON.stringify(body)).not.toContain('secret-reason')
      const isOver = code === 'session_invalid'
      expect(response.headers.has('set-cookie')).toBe(isOver)
      const reading = await at.portal.request('/api/v1/auth/session', { as: 'platform' })
      expect([nameOf(route), reading.status]).toStrictEqual([nameOf(route), isOver ? 401 : 200])
      at.portal.provider.failure = undefined
    }
    expect(at.sent).toStrictEqual([])
    expect(await at.portal.git.findPullRequests(GITOPS, {})).toStrictEqual({ ok: true, value: [] })
    const actions = (await recordsOf(at.portal)).map(({ action }) => action)
    const ends = decidingRoutes.map(() => 'session.ended_by_provider')
    expect(actions).toStrictEqual(code === 'session_invalid' ? ends : [])
  })
})

test('a role that the provider has taken away decides no more, and one that it gave does', async () => {
  await using portal = await openPortal({ files: applicationFiles({ lifecycle: 'development' }) })
  const promote = async () => {
    const init = sending('POST', { targetLifecycle: 'staging' })
    const path = '/api/v1/catalog/entities/component/shop/promotion'
    return (await portal.request(path, { as: 'dev', ...init })).status
  }
  expect(await promote()).toBe(403)
  portal.provider.groups.dev = ['payments', 'payments:Managers']
  portal.clock.advance(6 * MINUTE)
  expect(await promote()).toBe(201)
  const session = async () =>
    (await (await portal.request('/api/v1/auth/session', { as: 'dev' })).json()) as object
  expect(await session()).toMatchObject({ groups: ['payments', 'payments:Managers'] })
  portal.provider.groups.dev = []
  portal.clock.advance(6 * MINUTE)
  expect(await promote()).toBe(403)
  expect(await session()).toMatchObject({ groups: [] })
})
