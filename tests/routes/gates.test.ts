import { afterAll, describe, expect, test } from 'bun:test'
import { PATHS } from '#src/console/paths.ts'
import { openPortal } from '#tests/support/portal.ts'
import { rawRequest, sendRaw } from '#tests/support/raw-http.ts'

const portal = await openPortal({ environment: { FAILED_SIGN_INS_PER_MINUTE: '10000' } })
const routes = portal.portal.app.elysia.routes.map(({ method, path }) => ({ method, path }))

/** The console: files without data, and no part of the API. */
const PAGES = [...Object.values(PATHS), '/waiting'].map((path) => `GET ${path}`)
const ASSETS = 'GET /console/:asset'
const GIT_STYLE = 'GET /git/style.css'

/** The routes of the API that answer without a session. Adding one is a decision. */
const OPEN = [
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /api/v1/auth/callback',
  'GET /api/v1/auth/login',
  'GET /api/v1/openapi.json',
  'GET /docs',
  'GET /docs/:asset',
  'GET /healthz',
  'GET /oauth/authorize',
  'GET /oauth/code',
  'GET /readyz',
  'POST /api/v1/auth/backchannel-logout',
  'POST /api/v1/webhooks/catalog/refresh',
  'POST /mcp',
  'POST /oauth/revoke',
  'POST /oauth/token',
]

const RUN_ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'

const filled = (path: string): string =>
  path
    .replace(':kind', 'component')
    .replace(':name', 'payments-api')
    .replace(':id', RUN_ID)
    .replace(':asset', 'page.js')
    .replace(':os/:arch', 'linux/amd64')
    .replace(':owner/:repository', 'acme/gitops')
    .replace('repositories/:owner/:name', 'repositories/acme/gitops')
    .replace(':owner', 'acme')
    .replace(':number', '1')
    .replace(':commit', '0'.repeat(40))
    .replace('*', 'main')

test('the route table, and the gate of each route', async () => {
  // One after the other: all at once are more than an overloaded machine admits.
  const table: string[] = []
  for (const { method, path } of routes) {
    const undocumented = path.startsWith('/git') ? { undocumented: true as const } : {}
    const response = await portal.request(filled(path), { method, ...undocumented })
    const { code } =
      response.status >= 400 ? ((await response.json()) as { code: string }) : { code: 'open' }
    table.push(`${method} ${path} ${code}`)
  }
  const pages = PAGES.map((page) => `${page} open`)
  const api = [
    'GET /.well-known/oauth-authorization-server open',
    'GET /.well-known/oauth-protected-resource open',
    'GET /.well-known/oauth-protected-resource/mcp open',
    'POST /mcp token_invalid',
    'GET /oauth/authorize client_invalid',
    'GET /oauth/code open',
    'POST /oauth/authorize session_required',
    'POST /oauth/revoke open',
    'POST /oauth/token undefined',
    'DELETE /api/v1/grants session_required',
    'DELETE /api/v1/grants/:id session_required',
    'GET /api/v1/grants session_required',
    'DELETE /api/v1/auth/sessions session_required',
    'DELETE /api/v1/auth/sessions/:id session_required',
    'GET /api/v1/audit session_required',
    'GET /api/v1/audit/:id session_required',
    'GET /api/v1/auth/callback sign_in_invalid',
    'GET /api/v1/auth/login open',
    'GET /api/v1/auth/session session_required',
    'GET /api/v1/auth/sessions session_required',
    'GET /api/v1/catalog/entities session_required',
    'GET /api/v1/catalog/entities/:kind/:name session_required',
    'GET /api/v1/catalog/entities/:kind/:name/definition session_required',
    'GET /api/v1/catalog/entities/:kind/:name/docs session_required',
    'GET /api/v1/catalog/entities/:kind/:name/docs/* session_required',
    'GET /api/v1/catalog/entities/:kind/:name/promotion session_required',
    'GET /api/v1/catalog/entities/:kind/:name/promotion/compare session_required',
    'GET /api/v1/catalog/entities/:kind/:name/promotion/history session_required',
    'GET /api/v1/catalog/entities/:kind/:name/promotion/versions session_required',
    'GET /api/v1/catalog/entities/:kind/:name/relations session_required',
    'GET /api/v1/catalog/facets session_required',
    'GET /api/v1/catalog/needs session_required',
    'GET /api/v1/catalog/problems session_required',
    'GET /api/v1/cli/download/:os/:arch session_required',
    'GET /api/v1/cli/install.sh session_required',
    'GET /api/v1/cli/releases session_required',
    'GET /api/v1/clusters session_required',
    'GET /api/v1/clusters/:clusterId/namespaces session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/deployments session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/deployments/:name/events session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/pods session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/pods/:name/events session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/pods/:name/log session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/workloads session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/workloads/:kind/:name session_required',
    'GET /api/v1/clusters/:clusterId/namespaces/:namespace/workloads/:kind/:name/log session_required',
    'GET /api/v1/connections session_required',
    'GET /api/v1/environments session_required',
    'GET /api/v1/events session_required',
    'GET /api/v1/health session_required',
    'GET /api/v1/openapi.json open',
    'GET /api/v1/promotions session_required',
    'GET /api/v1/promotions/runs/:id session_required',
    'GET /api/v1/promotions/runs/:id/events session_required',
    'GET /api/v1/scaffold/runs session_required',
    'GET /api/v1/scaffold/runs/:id session_required',
    'GET /api/v1/scaffold/runs/:id/events session_required',
    'GET /api/v1/scaffold/templates session_required',
    'DELETE /api/v1/git/repositories/:owner/:name/deploy-tokens/:id session_required',
    'GET /api/v1/git/repositories/:owner/:name/deploy-tokens session_required',
    'POST /api/v1/git/repositories/:owner/:name/deploy-tokens session_required',
    'GET /docs open',
    'GET /docs/:asset open',
    'GET /healthz open',
    'GET /readyz not_ready',
    'POST /api/v1/auth/backchannel-logout logout_token_invalid',
    'POST /api/v1/auth/logout session_required',
    'POST /api/v1/auth/sessions/revoke session_required',
    'POST /api/v1/catalog/entities/:kind/:name/promotion session_required',
    'POST /api/v1/catalog/entities/:kind/:name/promotion/confirm session_required',
    'POST /api/v1/catalog/validate session_required',
    'POST /api/v1/clusters/:clusterId/namespaces/:namespace/deployments/:name/restart session_required',
    'POST /api/v1/clusters/:clusterId/namespaces/:namespace/workloads/:kind/:name/restart session_required',
    'POST /api/v1/scaffold session_required',
    'POST /api/v1/scaffold/runs/:id/retry session_required',
    'POST /api/v1/webhooks/catalog/refresh webhook_unauthorized',
  ]
  const git = [
    'GET /git session_required',
    'GET /git/new session_required',
    'POST /git/new session_required',
    'GET /git/:owner/:repository session_required',
    'GET /git/:owner/:repository/blob/* session_required',
    'GET /git/:owner/:repository/branches session_required',
    'GET /git/:owner/:repository/commit/:commit session_required',
    'GET /git/:owner/:repository/commits/* session_required',
    'GET /git/:owner/:repository/info/refs git_unauthorized',
    'GET /git/:owner/:repository/pulls session_required',
    'GET /git/:owner/:repository/pulls/:number session_required',
    'GET /git/:owner/:repository/pulls/new session_required',
    'GET /git/:owner/:repository/raw/* session_required',
    'GET /git/:owner/:repository/tokens session_required',
    'GET /git/:owner/:repository/tree/* session_required',
    'POST /git/:owner/:repository/git-receive-pack git_unauthorized',
    'POST /git/:owner/:repository/git-upload-pack git_unauthorized',
    'POST /git/:owner/:repository/pulls/:number/approve session_required',
    'POST /git/:owner/:repository/pulls/:number/close session_required',
    'POST /git/:owner/:repository/pulls/:number/merge session_required',
    'POST /git/:owner/:repository/pulls/new session_required',
    'POST /git/:owner/:repository/tokens session_required',
    'POST /git/:owner/:repository/tokens/:id/end session_required',
  ]
  expect(table.toSorted()).toStrictEqual(
    [...api, ...git, ...pages, `${ASSETS} not_found`, `${GIT_STYLE} open`].toSorted(),
  )
})

test('whoever has no session, or an unknown one, is told where to sign in', async () => {
  for (const cookie of ['', 'portal_session=unknown']) {
    const response = await portal.request('/api/v1/catalog/entities', { headers: { cookie } })
    expect(response.status).toBe(401)
    const body = (await response.json()) as { code: string; loginUrl: string }
    expect(body.loginUrl).toBe('/api/v1/auth/login')
    expect(response.headers.get('location')).toBeNull()
    const login = await portal.request(`${body.loginUrl}?return_to=/docs`)
    expect(login.status).toBe(302)
  }
})

test('the OpenAPI document calls the same routes open', async () => {
  const openapi = (await (await portal.request('/api/v1/openapi.json')).json()) as {
    paths: Record<string, Record<string, { security: object[] }>>
  }
  const open = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.every((scheme) => !('session' in scheme)))
      .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(open.toSorted()).toStrictEqual(OPEN)
})

/** Each makes another spelling of a path. None may reach a route without its gate. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.toUpperCase(),
  (path) => path.replace('/api', '/API'),
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '%2F'),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.replace('/v1/', '/v1/./'),
  (path) => path.replace('/v1/', '/v1/x/../'),
  (path) => path.replace('/v1/', '/v1/%2e/'),
  (path) => path.replace('/v1/', '/v1/x/%2e%2e/'),
  (path) => `/healthz/..${path}`,
  (path) => `/healthz/%2e%2e${path}`,
  (path) => `/docs/..${path}`,
  (path) => `/xx${path}`,
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}.json`,
  (path) => `${path}?x=/healthz`,
  (path) => `${path}#/healthz`,
  (path) => `${path}?/healthz`,
  (path) => path.replace('/api/', '/api%2f'),
  (path) => path.replace('api', '%61pi'),
]

const SPOOFS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'user-agent': 'kube-probe/1.32' },
  { 'user-agent': 'GoogleHC/1.0' },
  { 'x-forwarded-uri': '/healthz' },
  { 'x-forwarded-user': 'platform', 'x-forwarded-groups': 'platform-team' },
  { 'x-forwarded-email': 'platform@acme.example' },
  { x_forwarded_user: 'platform' },
  {
    'x-forwarded-host': 'portal.test:8080',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '127.0.0.1',
  },
  { 'x-original-url': '/healthz' },
  { 'x-rewrite-url': '/healthz' },
  { 'x-http-method-override': 'GET', 'x-method-override': 'OPTIONS' },
  { authorization: 'Bearer undefined' },
  { authorization: 'Basic ZGV2OmRlbW8=' },
  { cookie: 'portal_session=undefined' },
  { cookie: 'portal_session={"a":1}' },
  { cookie: 'PORTAL_SESSION=x; __Host-portal_session=x' },
]

describe('without a session nothing answers but what is open', () => {
  const open = new Set([...OPEN, ...PAGES, ASSETS, GIT_STYLE])
  const gated = routes.filter(({ method, path }) => !open.has(`${method} ${path}`))

  /** Every pair of a route, a spelling and a header is among the requests: each spelling of a route has some headers in turn. */
  const spoofsOf = (turn: number) =>
    [0, 1, 2].map((next) => SPOOFS[(turn * 3 + next) % SPOOFS.length] ?? {})

  test(`${gated.length} routes × ${SPELLINGS.length} spellings, with ${SPOOFS.length} headers in turn`, async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: portal.portal.app.fetch })
    const statuses = new Set<number>()
    for (const [at, { method, path }] of gated.entries()) {
      for (const [turn, spell] of SPELLINGS.entries()) {
        const answers = await Promise.all(
          spoofsOf(at + turn).map((headers) =>
            sendRaw(
              server.port ?? 0,
              rawRequest(method, spell(filled(path)), { host: 'portal.test:8080', ...headers }),
            ),
          ),
        )
        for (const { status, head, body } of answers) {
          statuses.add(status)
          // A path that resolves to an open page is that page; nothing of a gated route may be in an answer.
          if (status < 400) expect(`${spell(path)}\n${head}\n${body}`).toBe('refused')
        }
      }
    }
    await server.stop(true)
    // 405: another spelling of `sessions/revoke` is an id of a session, which takes no POST.
    expect([...statuses].toSorted((a, b) => a - b)).toStrictEqual([400, 401, 404, 405])
  })
})

describe('every part of the service finds the same path, whatever the Host', () => {
  const TARGETS = [
    '/x/healthz?/docs',
    '/healthz?/docs',
    '/healthz?/api/v1/openapi.json',
    '/readyz?/api/v1/catalog/entities',
    '/x/healthz?/api/v1/catalog/facets',
  ]
  const HEADS = [
    (target: string) => `GET ${target} HTTP/1.0\r\n`,
    (target: string) => `GET ${target} HTTP/1.1\r\nhost: a\r\n`,
    (target: string) => `GET ${target} HTTP/1.1\r\nhost: a b\r\n`,
    (target: string) => `GET ${target} HTTP/1.1\r\nhost: x@y\r\n`,
    (target: string) => `GET ${target} HTTP/1.1\r\nhost: \xe9.com\r\n`,
    (target: string) => `GET ${target} HTTP/1.1\r\nhost:\r\n`,
  ]

  test('a probe is a probe and nothing else is', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: portal.portal.app.fetch })
    const cookie = `cookie: portal_session=${await portal.signIn('dev')}\r\n`
    for (const head of HEADS) {
      const ask = (target: string) =>
        sendRaw(
          server.port ?? 0,
          Buffer.from(`${head(target)}${cookie}connection: close\r\n\r\n`, 'latin1'),
        )
      expect([head('/healthz'), (await ask('/healthz')).body]).toStrictEqual([
        head('/healthz'),
        '{"status":"ok"}',
      ])
      for (const target of TARGETS) {
        const { status, body } = await ask(target)
        const isProbe = target.startsWith('/healthz') || target.startsWith('/readyz')
        expect([head(target), status]).toStrictEqual([
          head(target),
          isProbe ? (target.startsWith('/healthz') ? 200 : 503) : 421,
        ])
        expect(body).not.toContain('openapi')
        expect(body).not.toContain('payments-api')
        expect(portal.access.at(-1)?.path).toBe(target.slice(0, target.indexOf('?')))
      }
    }
    await server.stop(true)
  })
})

afterAll(() => portal[Symbol.asyncDispose]())
