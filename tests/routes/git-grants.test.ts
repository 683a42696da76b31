import { afterAll, describe, expect, test } from 'bun:test'
import { openPortal, ORIGIN, type Person } from '#tests/support/portal.ts'
import { allow, authorization, exchange, grantTo, type Tokens } from '#tests/support/grants.ts'

const portal = await openPortal({ environment: { FAILED_SIGN_INS_PER_MINUTE: '1000' } })
afterAll(() => portal[Symbol.asyncDispose]())

const REPOSITORY = '/git/acme/gitops.git'
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`portico:${password}`).toString('base64')}`,
})
const refs = (
  headers: Readonly<Record<string, string>>,
  service = 'git-upload-pack',
  at = portal,
) => at.request(`${REPOSITORY}/info/refs?service=${service}`, { headers, undocumented: true })
const tokenOf = async (person: Person, scope: string) =>
  (await grantTo(portal, person, scope)).access_token

async function agentToken(): Promise<string> {
  const query = authorization({ scope: 'catalog:read', resource: `${ORIGIN}/mcp` })
  const location = await allow(portal, 'dev', query)
  const answer = await exchange(portal, { code: location.searchParams.get('code') ?? '' })
  return ((await answer.json()) as Tokens).access_token
}

/** A push that moves or makes a ref, as git sends it, without its objects. */
async function push(token: string, ref: string, before: string): Promise<string> {
  const command = `${before} ${'1'.repeat(40)} ${ref}\0 report-status`
  const answer = await portal.request(`${REPOSITORY}/git-receive-pack`, {
    method: 'POST',
    headers: { ...basic(token), 'content-type': 'application/x-git-receive-pack-request' },
    body: `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`,
    undocumented: true,
  })
  return answer.text()
}

describe('git at the embedded host, by a grant of the command line', () => {
  test.each<[string, () => Promise<string>, string, number]>([
    ['that reads the catalog: a clone', () => tokenOf('dev', 'catalog:read'), 'upload-pack', 200],
    ['that reads alone: no push', () => tokenOf('dev', 'catalog:read'), 'receive-pack', 403],
    ['that proposes: a push', () => tokenOf('dev', 'promotion:write'), 'receive-pack', 200],
    ['that proposes alone: no clone', () => tokenOf('dev', 'promotion:write'), 'upload-pack', 403],
    ['of another service: nothing', agentToken, 'upload-pack', 401],
    [
      'by its refresh token: nothing',
      async () => (await grantTo(portal, 'dev', 'catalog:read')).refresh_token,
      'upload-pack',
      401,
    ],
    ['by a session: nothing', () => portal.signIn('dev'), 'upload-pack', 401],
  ])('%s', async (_, token, service, status) => {
    expect((await refs(basic(await token()), `git-${service}`)).status).toBe(status)
  })

  test('its token is a password of git alone, and no Bearer of git', async () => {
    const token = await tokenOf('dev', 'catalog:read')
    const bearer = await refs({ authorization: `Bearer ${token}` })
    const elsewhere = await portal.request('/api/v1/auth/session', { headers: basic(token) })
    expect([bearer.status, elsewhere.status]).toStrictEqual([401, 401])
  })

  test('ends with the grant', async () => {
    const token = await tokenOf('outsider', 'catalog:read')
    await portal.request('/api/v1/grants', { method: 'DELETE', as: 'outsider' })
    expect((await refs(basic(token))).status).toBe(401)
  })

  test('proposes only: not even the platform team pushes a default branch by it, and it is on record', async () => {
    const token = await tokenOf('platform', 'catalog:read promotion:write')
    const listed = await (await refs(basic(token))).text()
    const [, head = ''] = /([0-9a-f]{40}) refs\/heads\/main/.exec(listed) ?? []
    expect(await push(token, 'refs/heads/main', head)).toContain('changes by pull requests')
    const rows = await portal.request('/api/v1/audit?action=repository.push', { as: 'platform' })
    expect(await rows.json()).toMatchObject([
      {
        actor: { subject: 'platform' },
        via: { kind: 'cli', client: 'portico' },
        target: 'repository/acme/gitops',
        result: 'denied',
        details: { refs: ['refs/heads/main'] },
      },
    ])
  })

  test('while the identity provider is away reads, and pushes nothing', async () => {
    await using at = await openPortal()
    const { access_token } = await grantTo(at, 'dev', 'catalog:read promotion:write')
    at.provider.failure = { kind: 'identity_unreachable' }
    at.clock.advance(300_000)
    const statuses = ['git-upload-pack', 'git-receive-pack'].map(
      async (service) => (await refs(basic(access_token), service, at)).status,
    )
    expect(await Promise.all(statuses)).toStrictEqual([200, 503])
  })
})
