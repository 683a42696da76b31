import { afterAll, expect, test } from 'bun:test'
import { allScopes, type Scope } from '#src/lib/domain/access/grants/scope.ts'
import { scopeIn } from '#src/lib/http/operation.ts'
import { openPortal, type Person } from '#tests/support/portal.ts'
import { grantTo, withToken } from '#tests/support/grants.ts'

/*
 * A scope that is checked on one path and not on another is where this field's holes come from (CVE-2026-28744, CVE-2025-68941 and
 * CVE-2026-24791 of Gitea, CVE-2025-55190 of Argo CD). Here it is a field of the route, and every route is walked.
 */

const portal = await openPortal({
  environment: { WRITES_PER_MINUTE: '100000', STREAMS_PER_MINUTE: '100000' },
})
afterAll(() => portal[Symbol.asyncDispose]())

const routes = portal.portal.app.elysia.routes.map(({ method, path, hooks }) => {
  const { detail } = hooks as { readonly detail?: { readonly security?: readonly object[] } }
  return { method, path, scope: scopeIn(detail), isOpen: detail?.security?.length === 0 }
})
const PEOPLE: readonly Person[] = ['dev', 'manager', 'platform', 'outsider']

const filled = (path: string): string =>
  path
    .replace(':kind', path.includes('/workloads/') ? 'deployment' : 'component')
    .replace(':name', 'payments-api')
    .replace(':id', '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11')
    .replace(':clusterId', 'dev-east')
    .replace(':namespace', 'payments-dev')
    .replace(':asset', 'page.js')
    .replace(':os/:arch', 'linux/amd64')

async function outcomeOf(response: Response): Promise<string> {
  const isProblem = response.headers.get('content-type') === 'application/problem+json'
  if (!isProblem) {
    await response.body?.cancel()
    return String(response.status)
  }
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}

test('the scopes of the routes', () => {
  const scoped = routes.flatMap(({ method, path, scope }) =>
    scope === undefined ? [] : [`${scope} ${method} ${path.replace('/api/v1', '')}`],
  )
  expect(scoped.toSorted()).toMatchSnapshot()
})

test.each(PEOPLE)(
  '%s × every scope × every route',
  async (person) => {
    await portal.signIn(person)
    for (const scope of allScopes) {
      const others = allScopes.filter((other) => other !== scope).join(' ')
      const [token, rest] = [
        await grantTo(portal, person, scope),
        await grantTo(portal, person, others),
      ].map(({ access_token }) => access_token)
      for (const route of routes) await walk(person, route, scope, token ?? '', rest ?? '')
    }
  },
  120_000,
)

async function walk(
  person: Person,
  route: (typeof routes)[number],
  scope: Scope,
  token: string,
  rest: string,
): Promise<void> {
  const { method, path } = route
  const at = filled(path)
  const send = async (init: object) =>
    outcomeOf(await portal.request(at, { method, undocumented: true, ...init }))
  const name = `${method} ${path}`
  if (route.scope === undefined) {
    // Open routes are as they are; those of browsers take no token, whatever its scopes.
    if (!route.isOpen && path.startsWith('/api/')) {
      const refused = path.includes('/webhooks/') ? 'webhook_unauthorized' : 'session_required'
      expect([name, await send(withToken(token))]).toStrictEqual([name, `401 ${refused}`])
    }
    return
  }
  if (route.scope !== scope) {
    expect([name, await send(withToken(token))]).toStrictEqual([name, '403 insufficient_scope'])
    return
  }
  expect([name, await send(withToken(rest))]).toStrictEqual([name, '403 insufficient_scope'])
  // A scope only takes away: with it the answer is that of the person's own session.
  expect([name, await send(withToken(token))]).toStrictEqual([name, await send({ as: person })])
}
