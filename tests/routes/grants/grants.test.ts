import { afterAll, describe, expect, test } from 'bun:test'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import {
  allow,
  authorization,
  challengeOf,
  consentOf,
  exchange,
  finish,
  form,
  grantTo,
  REDIRECT,
  refresh,
  type Tokens,
  withToken,
} from '#tests/support/grants.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

// Each of the many refusals here counts for one address.
const portal = await openPortal({ environment: { FAILED_SIGN_INS_PER_MINUTE: '1000' } })
afterAll(() => portal[Symbol.asyncDispose]())

const ENTITIES = '/api/v1/catalog/entities'
const reads = async (token: string) => (await portal.request(ENTITIES, withToken(token))).status
const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code

describe('a grant', () => {
  test('begins with consent, and gives a code, its state and our name', async () => {
    const location = await allow(portal, 'dev', authorization())
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT)
    expect(location.searchParams.get('state')).toBe('state-of-the-client')
    expect(location.searchParams.get('iss')).toBe(ORIGIN)
    const answer = await exchange(portal, { code: location.searchParams.get('code') ?? '' })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const tokens = (await answer.json()) as Tokens
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'catalog:read' })
    // The expression of SECURITY.md for secret scanners.
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(token).toMatch(/^pr[trc]_[0-9A-Za-z]{49}$/)
    }
    expect(await reads(tokens.access_token)).toBe(200)
  })

  test('speaks for the person whom the consent page shows, and nobody is shown it in a frame', async () => {
    const page = await portal.request(`/oauth/authorize?${authorization()}`, { as: 'dev' })
    const text = await page.text()
    expect(text).toContain('Portico command line')
    expect(text).toContain('catalog:read')
    expect(text).toContain('127.0.0.1:49152')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(text).not.toContain('<script')
  })

  test('needs a session, and comes back after the sign-in', async () => {
    const query = authorization()
    const answer = await portal.request(`/oauth/authorize?${query}`)
    const login = new URL(answer.headers.get('location') ?? '', ORIGIN)
    expect(answer.status).toBe(302)
    expect(login.pathname).toBe('/api/v1/auth/login')
    expect(login.searchParams.get('return_to')).toBe(`/oauth/authorize?${query}`)
  })

  test('that is refused tells the program so', async () => {
    const consent = await consentOf(portal, 'dev', authorization())
    const refused = await portal.request('/oauth/authorize', {
      ...form({ consent, choice: 'refuse' }),
      as: 'dev',
    })
    const location = new URL(refused.headers.get('location') ?? '')
    expect(Object.fromEntries(location.searchParams)).toStrictEqual({
      error: 'access_denied',
      state: 'state-of-the-client',
      iss: ORIGIN,
    })
  })

  test('is listed with its program, and ends by its id, all at once, and by its token', async () => {
    const ofManager = async () =>
      (await (await portal.request('/api/v1/grants', { as: 'manager' })).json()) as {
        id: string
        client: object
        scopes: string[]
      }[]
    const [one, two, three] = [
      await grantTo(portal, 'manager', 'catalog:read'),
      await grantTo(portal, 'manager', 'catalog:read audit:read'),
      await grantTo(portal, 'manager', 'audit:read'),
    ]
    const listed = await ofManager()
    expect(listed).toHaveLength(3)
    expect(listed[1]).toMatchObject({
      kind: 'cli',
      client: { id: 'portico', name: 'Portico command line' },
      scopes: ['catalog:read', 'audit:read'],
      teams: null,
    })
    const foreign = { method: 'DELETE', as: 'dev' } as const
    expect((await portal.request(`/api/v1/grants/${listed[1]?.id}`, foreign)).status).toBe(404)
    const own = { method: 'DELETE', as: 'manager' } as const
    expect((await portal.request(`/api/v1/grants/${listed[1]?.id}`, own)).status).toBe(204)
    expect(await reads(two?.access_token ?? '')).toBe(401)
    expect(await reads(one?.access_token ?? '')).toBe(200)
    const revoked = await portal.request('/oauth/revoke', form({ token: one?.refresh_token ?? '' }))
    expect(revoked.status).toBe(200)
    expect(await reads(one?.access_token ?? '')).toBe(401)
    const ended = await portal.request('/api/v1/grants', own)
    expect(await ended.json()).toStrictEqual({ ended: 1 })
    expect((await refresh(portal, three?.refresh_token ?? '')).status).toBe(400)
    expect(await ofManager()).toStrictEqual([])
  })

  test('ends with "sign out everywhere else", and when the platform team ends the sessions of the person', async () => {
    const tokens = await grantTo(portal, 'dev', 'catalog:read')
    await portal.request('/api/v1/auth/sessions', { method: 'DELETE', as: 'dev' })
    expect(await reads(tokens.access_token)).toBe(401)
    const other = await grantTo(portal, 'outsider', 'catalog:read')
    await portal.request('/api/v1/auth/sessions/revoke', {
      json: { subject: 'outsider' },
      as: 'platform',
    })
    portal.forget('outsider')
    expect(await reads(other.access_token)).toBe(401)
  })

  test('a session is not listed among grants, and a grant is none of the sessions', async () => {
    await grantTo(portal, 'outsider', 'catalog:read')
    const sessions = (await (
      await portal.request('/api/v1/auth/sessions', { as: 'outsider' })
    ).json()) as unknown[]
    expect(sessions).toHaveLength(1)
  })

  test('leaves its name in the audit trail', async () => {
    const tokens = await grantTo(portal, 'platform', 'catalog:read audit:read promotion:write')
    const write = await portal.request(`${ENTITIES}/component/payments-api/promotion`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
      json: { targetLifecycle: 'production', overlayConfig: {} },
    })
    expect(write.status).toBeGreaterThanOrEqual(400)
    const records = (await (
      await portal.request('/api/v1/audit?action=promotion', withToken(tokens.access_token))
    ).json()) as { via: { kind: string; client: string; id: string } | null; actor: object }[]
    expect(records[0]).toMatchObject({
      actor: { subject: 'platform' },
      via: { kind: 'cli', client: 'portico' },
    })
  })
})

describe('codes and refresh tokens', () => {
  const newCode = async (query = authorization()) =>
    (await allow(portal, 'dev', query)).searchParams.get('code') ?? ''

  test('a code twice ends the grant (RFC 6749 §4.1.2)', async () => {
    const code = await newCode()
    const tokens = (await (await exchange(portal, { code })).json()) as Tokens
    const again = await exchange(portal, { code })
    expect(again.status).toBe(400)
    expect(await errorOf(again)).toBe('invalid_grant')
    expect(await reads(tokens.access_token)).toBe(401)
    expect(await errorOf(await refresh(portal, tokens.refresh_token))).toBe('invalid_grant')
  })

  test('a refresh token twice ends the grant, and one of concurrent uses never gives two families', async () => {
    const first = await grantTo(portal, 'dev', 'catalog:read')
    const second = (await (await refresh(portal, first.refresh_token)).json()) as Tokens
    expect(await reads(second.access_token)).toBe(200)
    expect(await errorOf(await refresh(portal, first.refresh_token))).toBe('invalid_grant')
    expect(await reads(second.access_token)).toBe(401)

    const other = await grantTo(portal, 'dev', 'catalog:read')
    const uses = await Promise.all(
      Array.from({ length: 5 }, () => refresh(portal, other.refresh_token)),
    )
    expect(uses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(await reads(other.access_token)).toBe(401)
  })

  test.each([
    ['another verifier (code injection)', { code_verifier: 'w'.repeat(64) }],
    ['a verifier that is short', { code_verifier: 'v'.repeat(42) }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:49153/callback' }],
    ['another client (mix-up)', { client_id: 'https://agent.example/client.json' }],
  ])('a code with %s gives nothing, and is spent', async (_, over) => {
    const code = await newCode()
    const answer = await exchange(portal, { code, ...over })
    expect(answer.status).toBe(400)
    expect(await errorOf(answer)).toBe('invalid_grant')
    expect(await errorOf(await exchange(portal, { code }))).toBe('invalid_grant')
  })

  test('a verifier that is short is refused although its digest fits', async () => {
    const short = 'v'.repeat(42)
    const code = await newCode(authorization({ code_challenge: challengeOf(short) }))
    expect(await errorOf(await exchange(portal, { code, code_verifier: short }))).toBe(
      'invalid_grant',
    )
  })

  test('tokens are for the service that was named', async () => {
    const code = await newCode()
    const answer = await exchange(portal, { code, resource: 'https://other.example' })
    expect(await errorOf(answer)).toBe('invalid_target')
    const tokens = await grantTo(portal, 'dev', 'catalog:read')
    const refused = await refresh(portal, tokens.refresh_token, { resource: 'https://x.example' })
    expect(await errorOf(refused)).toBe('invalid_target')
  })

  test('a code ends after a minute, an access token after ten, an unused grant after thirty days', async () => {
    await using at = await openPortal()
    const late = (await allow(at, 'dev', authorization())).searchParams.get('code') ?? ''
    const tokens = await grantTo(at, 'dev', 'catalog:read')
    at.clock.advance(60_000)
    expect(await errorOf(await exchange(at, { code: late }))).toBe('invalid_grant')
    at.clock.advance(9 * 60_000)
    expect((await at.request(ENTITIES, withToken(tokens.access_token))).status).toBe(401)
    const renewed = (await (await refresh(at, tokens.refresh_token)).json()) as Tokens
    const living = async () => {
      at.forget('dev')
      const listed = await at.request('/api/v1/grants', { as: 'dev' })
      return ((await listed.json()) as unknown[]).length
    }
    at.clock.advance(30 * 24 * 60 * 60_000 - 60_000)
    expect(await living()).toBe(1)
    at.clock.advance(60_000)
    expect(await living()).toBe(0)
    expect(await errorOf(await refresh(at, renewed.refresh_token))).toBe('invalid_grant')
  })

  test.each([
    ['no grant type', {}],
    ['a password', { grant_type: 'password', username: 'dev', password: 'demo' }],
    ['client credentials', { grant_type: 'client_credentials' }],
  ])('%s is no way to a token', async (_, fields) => {
    const answer = await portal.request('/oauth/token', form({ client_id: 'portico', ...fields }))
    expect(await errorOf(answer)).toBe('unsupported_grant_type')
  })
})

describe('an authorization request', () => {
  const ask = (query: string) => portal.request(`/oauth/authorize?${query}`, { as: 'dev' })

  test.each([
    ['another host by prefix (CVE-2026-32235)', 'http://127.0.0.1.evil.example/callback'],
    ['a name for the loopback address', 'http://localhost:49152/callback'],
    ['another path', 'http://127.0.0.1:49152/callback/x'],
    ['a query', 'http://127.0.0.1:49152/callback?x'],
    ['a fragment', 'http://127.0.0.1:49152/callback#x'],
    ['an empty fragment', 'http://127.0.0.1:49152/callback#'],
    ['user information', 'http://127.0.0.1:49152@evil.example/callback'],
    ['user information before the address', 'http://evil.example@127.0.0.1/callback'],
    ['another scheme', 'https://127.0.0.1:49152/callback'],
    ['a backslash', 'http://127.0.0.1:49152\\@evil.example/callback'],
    ['another spelling of the address', 'http://2130706433/callback'],
    ['our own code page on another port', `${ORIGIN.replace('8080', '8081')}/oauth/code`],
    ['nothing', ''],
  ])('with %s sends nothing there', async (_, redirect_uri) => {
    const answer = await ask(authorization({ redirect_uri }))
    expect(answer.status).toBe(400)
    expect(answer.headers.get('location')).toBeNull()
    expect(await codeOf(answer)).toBe('redirect_uri_invalid')
  })

  test('takes any port of a loopback address (RFC 8252 §7.3), and our page with the code', async () => {
    for (const redirect_uri of [
      'http://127.0.0.1:1/callback',
      'http://[::1]:65535/callback',
      `${ORIGIN}/oauth/code`,
    ]) {
      expect((await ask(authorization({ redirect_uri }))).status).toBe(200)
    }
  })

  test.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_scope', { scope: 'catalog:read everything' }],
    ['invalid_target', { resource: 'https://other.example' }],
    ['invalid_target', { resource: '' }],
  ])('is refused to the program as %s: %p', async (error, over) => {
    const location = new URL((await ask(authorization(over))).headers.get('location') ?? '')
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT)
    expect(location.searchParams.get('error')).toBe(error)
    expect(location.searchParams.get('iss')).toBe(ORIGIN)
  })

  test('of a program that nobody allowed, or that names one thing twice, is refused', async () => {
    const unknown = await ask(authorization({ client_id: 'https://agent.example/client.json' }))
    expect(await codeOf(unknown)).toBe('client_invalid')
    const twice = await ask(`${authorization()}&redirect_uri=http://evil.example`)
    expect(await codeOf(twice)).toBe('client_invalid')
  })
})

describe('consent', () => {
  test('counts once, in the session that was asked', async () => {
    const consent = await consentOf(portal, 'dev', authorization())
    const answer = (as: 'dev' | 'manager') =>
      portal.request('/oauth/authorize', { ...form({ consent, choice: 'allow' }), as })
    expect((await answer('manager')).status).toBe(400)
    expect((await answer('dev')).status).toBe(303)
    const again = await answer('dev')
    expect(await outcomeOf(again)).toBe('400 consent_expired')
  })

  test('cannot be given by a page of another site', async () => {
    const consent = await consentOf(portal, 'dev', authorization())
    const request = form({ consent, choice: 'allow' })
    const forged = await portal.request('/oauth/authorize', {
      ...request,
      headers: { ...request.headers, 'sec-fetch-site': 'cross-site' },
      as: 'dev',
    })
    expect(forged.status).toBe(403)
  })

  test('cannot be given by an origin that may use the API', async () => {
    const UI = 'https://ui.example'
    await using at = await openPortal({ environment: { UI_ORIGINS: UI } })
    const consent = await consentOf(at, 'dev', authorization())
    const request = form({ consent, choice: 'allow' })
    const forged = await at.request('/oauth/authorize', {
      ...request,
      headers: { ...request.headers, origin: UI, 'sec-fetch-site': 'same-site' },
      as: 'dev',
    })
    expect([forged.status, forged.headers.get('location')]).toStrictEqual([403, null])
  })

  test('for a team whose managers are the platform group is not offered', async () => {
    await using at = await openPortal({ environment: { PLATFORM_GROUP: 'payments:Managers' } })
    const consent = await consentOf(at, 'manager', authorization())
    const answered = await at.request('/oauth/authorize', {
      ...form({ consent, choice: 'allow', team: 'payments' }),
      as: 'manager',
    })
    expect(answered.headers.get('location')).toContain('error=access_denied')
  })

  test('of one person gives nothing when another signs in at the provider', async () => {
    const location = await allow(portal, 'dev', authorization(), { signsInAs: 'manager' })
    expect(location.searchParams.get('error')).toBe('server_error')
    expect(location.searchParams.has('code')).toBeFalse()
  })

  test('gives nothing in another session than the one that was asked', async () => {
    const consent = await consentOf(portal, 'dev', authorization())
    const answered = await portal.request('/oauth/authorize', {
      ...form({ consent, choice: 'allow' }),
      as: 'dev',
    })
    portal.forget('dev')
    const location = await finish(portal, 'dev', answered, 'dev')
    expect(location.searchParams.get('error')).toBe('server_error')
  })
})

describe('an access token', () => {
  test('beside a cookie is refused', async () => {
    const { access_token } = await grantTo(portal, 'dev', 'catalog:read')
    const both = await portal.request(ENTITIES, { ...withToken(access_token), as: 'dev' })
    expect(await outcomeOf(both)).toBe('400 ambiguous_credentials')
  })

  test('is read from its header alone', async () => {
    const { access_token } = await grantTo(portal, 'dev', 'catalog:read')
    const paths = [`${ENTITIES}?access_token=${access_token}`, `${ENTITIES}?token=${access_token}`]
    for (const path of paths) expect((await portal.request(path)).status).toBe(401)
    const cookie = { headers: { cookie: `portal_session=${access_token}` } }
    expect((await portal.request(ENTITIES, cookie)).status).toBe(401)
  })

  test('that is none is 401 with the way to one, and a cookie value in its place is none', async () => {
    const session = await portal.signIn('dev')
    const { refresh_token } = await grantTo(portal, 'dev', 'catalog:read')
    for (const token of [
      'x',
      'prt_x',
      `prt_${'0'.repeat(49)}`,
      session,
      refresh_token,
      'y'.repeat(9000),
    ]) {
      const answer = await portal.request(ENTITIES, withToken(token))
      expect(await outcomeOf(answer)).toBe('401 token_invalid')
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer error="invalid_token", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`,
      )
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  })

  test('makes no tokens, and ends none', async () => {
    const { access_token } = await grantTo(portal, 'dev', 'catalog:read')
    const { headers } = withToken(access_token)
    for (const [method, path] of [
      ['GET', '/api/v1/grants'],
      ['DELETE', '/api/v1/grants'],
      ['GET', '/api/v1/auth/sessions'],
      ['DELETE', '/api/v1/auth/sessions'],
      ['POST', '/api/v1/auth/logout'],
      ['POST', '/oauth/authorize'],
    ] as const) {
      const answer = await portal.request(path, { method, headers })
      expect([path, answer.status]).toStrictEqual([path, 401])
    }
  })

  test('does not reach what a scope is missing for, and says which', async () => {
    const { access_token } = await grantTo(portal, 'dev', 'catalog:read')
    const answer = await portal.request('/api/v1/clusters', withToken(access_token))
    expect(answer.status).toBe(403)
    expect(await answer.clone().json()).toMatchObject({
      code: 'insufficient_scope',
      scopes: ['clusters:read'],
    })
    expect(answer.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", resource_metadata=',
    )
    expect(answer.headers.get('www-authenticate')).toContain('scope="clusters:read"')
  })
})

describe('the person behind a grant', () => {
  test('who leaves the company loses it within the age of claims, for reading too', async () => {
    await using at = await openPortal()
    const tokens = await grantTo(at, 'dev', 'catalog:read')
    const status = async () => (await at.request(ENTITIES, withToken(tokens.access_token))).status
    at.provider.failure = { kind: 'identity_rejected' }
    expect(await status()).toBe(200)
    at.clock.advance(300_000)
    expect(await status()).toBe(401)
    at.provider.failure = undefined
    expect(await errorOf(await refresh(at, tokens.refresh_token))).toBe('invalid_grant')
  })

  test('goes on reading while the provider is away, and decides nothing', async () => {
    await using at = await openPortal()
    const tokens = await grantTo(at, 'platform', 'catalog:read audit:read')
    at.provider.failure = { kind: 'identity_unreachable' }
    at.clock.advance(300_000)
    const token = withToken(tokens.access_token)
    expect((await at.request(ENTITIES, token)).status).toBe(200)
    expect((await at.request('/api/v1/audit', token)).status).toBe(503)
  })

  test('has the groups of now', async () => {
    await using at = await openPortal()
    const tokens = await grantTo(at, 'platform', 'audit:read')
    const token = withToken(tokens.access_token)
    expect((await at.request('/api/v1/audit', token)).status).toBe(200)
    at.provider.groups.platform = ['payments']
    at.clock.advance(300_000)
    expect((await at.request('/api/v1/audit', token)).status).toBe(403)
  })

  test('for one team alone is as somebody outside the others', async () => {
    await using at = await openPortal()
    at.provider.groups.manager = ['payments', 'payments:Managers', 'shipping', 'platform-team']
    const tokens = await grantTo(at, 'manager', 'catalog:read audit:read', { team: 'payments' })
    const token = withToken(tokens.access_token)
    const session = (await (await at.request('/api/v1/auth/session', token)).json()) as object
    expect(session).toMatchObject({
      groups: ['payments', 'payments:Managers'],
      teams: ['payments'],
      platform: false,
    })
    const [other, outside] = await Promise.all([
      at.request('/api/v1/audit?team=shipping', token),
      at.request('/api/v1/audit?team=shipping', { as: 'dev' }),
    ])
    const bytes = async (response: Response) =>
      (await response.text()).replace(/"requestId":"[^"]+"/, '')
    expect(await bytes(other)).toBe(await bytes(outside))
    at.clock.advance(300_000)
    expect((await at.request('/api/v1/audit?team=shipping', token)).status).toBe(403)
  })

  test('for one team alone sees the projects of the person in that team', async () => {
    await using at = await openPortal()
    at.provider.groups.dev = ['payments', 'shipping']
    const started = await at.request('/api/v1/scaffold', {
      as: 'dev',
      headers: { prefer: 'respond-async' },
      json: {
        templateId: 'service',
        appName: 'refund-api',
        team: 'payments',
        namespace: 'payments-dev',
      },
    })
    const { runId } = (await started.json()) as { runId: string }
    const list = '/api/v1/scaffold/runs'
    const outcomes: Record<string, readonly unknown[]> = {}
    for (const team of ['payments', 'shipping']) {
      const tokens = await grantTo(at, 'dev', 'catalog:read', { team })
      const token = withToken(tokens.access_token)
      const runs = (await (await at.request(list, token)).json()) as unknown[]
      outcomes[team] = [runs.length, (await at.request(`${list}/${runId}`, token)).status]
    }
    expect(outcomes).toStrictEqual({ payments: [1, 200], shipping: [0, 404] })
  })
})
