import { describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { err } from '#src/lib/result.ts'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import { grantIdOf, newFamily } from '#src/lib/domain/access/grants/grant-token.ts'
import type { NewSession } from '#src/lib/domain/access/sessions/sessions.ts'
import { DISCOVERY, JWKS, openFakeIssuer, seconds } from '#tests/adapters/identity/fake-issuer.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import { openPortal, ORIGIN, type TestPortal, type TestRequest } from '#tests/support/portal.ts'
import { recordsOf } from '#tests/support/audit-rows.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { until } from '#tests/support/until.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const BACKCHANNEL = '/api/v1/auth/backchannel-logout'
const LOGOUT = '/api/v1/auth/logout'
const SESSION = '/api/v1/auth/session'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const CLIENT_ID = 'portico'

type Claims = Readonly<Record<string, unknown>>
const own = await generateKeyPair('ES256', { extractable: true })
const stranger = await generateKeyPair('ES256', { extractable: true })

/** An issuer on a socket whose logout tokens the test writes, and a portal that people signed in to there. */
async function openWorld({
  deadlineMs = 2_000,
  environment = {},
}: {
  readonly deadlineMs?: number
  readonly environment?: Readonly<Record<string, string>>
} = {}) {
  const issuer = await openFakeIssuer()
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256' }
  issuer.answers[JWKS] = () => Response.json({ keys: [jwk] })
  const portal = await openPortal({
    environment,
    openIdentity: (clock) =>
      createOidcIdentityProvider(
        oidcSettings(issuer.issuer, { OIDC_CLIENT_ID: CLIENT_ID, clock, deadlineMs }),
      ),
  })
  const claims = (over: Claims = {}): Claims => ({
    iss: issuer.issuer,
    aud: CLIENT_ID,
    iat: seconds(),
    exp: seconds() + 120,
    jti: crypto.randomUUID(),
    events: { [EVENT]: {} },
    sub: 'ada',
    sid: 'laptop',
    ...over,
  })
  const signIn = (sid: string | null, subject = 'ada'): Omit<NewSession, 'userAgent'> => ({
    principal: {
      issuer: issuer.issuer,
      subject,
      name: subject,
      email: null,
      groups: { kind: 'known', names: [] },
    },
    sid,
    tokens: null,
    address: null,
  })
  return {
    issuer,
    portal,
    claims,
    publicKey: jwk,
    sign: (over: Claims = {}, header: Claims = {}, key = own.privateKey) =>
      new SignJWT(JSON.parse(JSON.stringify(claims(over))) as Record<string, unknown>)
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'logout+jwt', ...header })
        .sign(key),
    signIn,
    /** A session with that session id of the provider. */
    async open(sid: string | null, subject = 'ada') {
      const session = { ...signIn(sid, subject), userAgent: null }
      return valueOf(await portal.portal.sessions.open(session)).token
    },
    async [Symbol.asyncDispose]() {
      await portal[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

const send = (portal: TestPortal, token: string, init: TestRequest = {}) =>
  portal.request(BACKCHANNEL, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
    ...init,
  })

/** Whether the session goes on. A session is reused for a second, unless it ended in this process. */
async function lives(portal: TestPortal, token: string): Promise<boolean> {
  const headers = { cookie: `portal_session=${token}` }
  return (await portal.request(SESSION, { headers })).status === 200
}

describe('SEC-O8 a logout token of the provider', () => {
  test('ends the sessions of one sign-in, by sid, and no other', async () => {
    await using world = await openWorld()
    const { portal } = world
    const laptop = await world.open('laptop')
    const phone = await world.open('phone')
    const response = await send(portal, await world.sign(), {
      headers: { 'x-request-id': 'by-provider' },
    })
    expect([response.status, await response.text()]).toStrictEqual([200, ''])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect([await lives(portal, laptop), await lives(portal, phone)]).toStrictEqual([false, true])
    expect(await recordsOf(portal)).toMatchObject([
      {
        actor: null,
        action: 'session.ended_by_provider',
        result: 'done',
        requestId: 'by-provider',
        details: { subject: 'ada', sessions: 1 },
      },
    ])
  })

  test('ends a sign-in by sid alone, and every session of a person by sub alone', async () => {
    await using world = await openWorld()
    const { portal } = world
    const sessions = [
      await world.open('laptop'),
      await world.open('phone'),
      await world.open(null),
      await world.open('bobs', 'bob'),
    ]
    const left = () => Promise.all(sessions.map((token) => lives(portal, token)))
    await send(portal, await world.sign({ sub: undefined }))
    expect(await left()).toStrictEqual([false, true, true, true])
    await send(portal, await world.sign({ sid: undefined }))
    expect(await left()).toStrictEqual([false, false, false, true])
  })

  test.each([
    ['ends', {}, 'invalid'],
    ['leaves', { LOGOUT_ENDS_GRANTS: 'false' }, 'active'],
  ])('%s the grants of the person, as %j says', async (_, environment, kind) => {
    await using world = await openWorld({ environment })
    const { sessions } = world.portal.portal
    const until = world.portal.clock.now() + 3_600_000
    const family = newFamily()
    await sessions.openGrant({
      ...world.signIn('laptop'),
      grant: {
        kind: 'cli',
        clientId: 'portico',
        clientName: 'Portico command line',
        scopes: ['catalog:read'],
        teams: null,
        resource: ORIGIN,
        redirectUri: '',
        codeChallenge: '',
      },
      family,
      unusedUntil: until,
      expiresAt: until,
    })
    expect((await send(world.portal, await world.sign())).status).toBe(200)
    expect((await sessions.reread({ idHash: grantIdOf(family) })).kind).toBe(kind as never)
  })

  test("with another person's sid, or of another issuer, ends nothing", async () => {
    await using world = await openWorld()
    const { portal } = world
    const bobs = await world.open('bobs', 'bob')
    expect((await send(portal, await world.sign({ sid: 'bobs' }))).status).toBe(200)
    expect((await send(portal, await world.sign({ sid: 'unknown', sub: 'nobody' }))).status).toBe(
      200,
    )
    expect(await lives(portal, bobs)).toBe(true)
    expect(await recordsOf(portal)).toStrictEqual([])
  })

  test('counts once', async () => {
    await using world = await openWorld()
    const { portal } = world
    const token = await world.sign()
    expect((await send(portal, token)).status).toBe(200)
    const later = await world.open('laptop')
    const again = await send(portal, token)
    expect(await outcomeOf(again)).toBe('400 logout_token_invalid')
    expect(await lives(portal, later)).toBe(true)
  })

  /** The rules are those of the identity provider's adapter. */
  const FORGERIES: readonly (readonly [string, (world: World) => string | Promise<string>])[] = [
    ['signed by a stranger', ({ sign }) => sign({}, {}, stranger.privateKey)],
    ['for another client', ({ sign }) => sign({ aud: 'other' })],
    ['that is an ID token', ({ issuer }) => issuer.sign({ sub: 'ada', sid: 'laptop' })],
    ['that is empty', () => ''],
    ['that is too long', ({ sign }) => sign({ filler: 'x'.repeat(70_000) })],
  ]

  test.each([...FORGERIES])('%s ends nothing', async (_, forge) => {
    await using world = await openWorld()
    const { portal } = world
    const session = await world.open('laptop')
    const response = await send(portal, await forge(world))
    expect(await outcomeOf(response)).toBe('400 logout_token_invalid')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await lives(portal, session)).toBe(true)
    expect(JSON.stringify(portal.logged)).not.toContain('eyJ')
  })

  test('that is refused leaves its reason in the log, for those who set the provider up', async () => {
    await using world = await openWorld()
    const { portal } = world
    const refused = async (token: string, requestId: string): Promise<void> => {
      await send(portal, token, { headers: { 'x-request-id': requestId } })
    }
    const token = await world.sign()
    await send(portal, token)
    await refused(token, 'second')
    await refused(await world.sign({}, { typ: 'at+jwt' }), 'other-type')
    world.issuer.answers[JWKS] = () => new Response('', { status: 500 })
    portal.clock.advance(11 * 60_000)
    await refused(await world.sign(), 'no-keys')
    const lines = portal.logged.filter((line) => line.includes('logout_token_not_obeyed'))
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { requestId: 'second', failure: { kind: 'logout_token_invalid', reason: 'replayed' } },
      { requestId: 'other-type', failure: { kind: 'logout_token_invalid', reason: 'typ' } },
      { requestId: 'no-keys', failure: { kind: 'identity_error', reason: 'http_500' } },
    ])
  })

  test('that is not obeyed is in the audit trail, a flood as one row', async () => {
    await using world = await openWorld({ environment: { FAILED_SIGN_INS_PER_MINUTE: '2' } })
    const { portal } = world
    portal.clock.advance(60_000 - (portal.clock.now() % 60_000))
    const refused = await world.sign({ nonce: 'n' })
    for (let call = 0; call < 5; call += 1) {
      const response = await send(portal, refused)
      expect(await outcomeOf(response)).toBe('400 logout_token_invalid')
    }
    const session = await world.open('laptop', 'bob')
    expect((await send(portal, await world.sign({ sub: 'bob' }))).status).toBe(200)
    expect(await lives(portal, session)).toBe(false)
    portal.clock.advance(180_000)
    await portal.portal.limits.sweep()
    const row = { action: 'session.ended_by_provider', result: 'denied', actor: null }
    expect(await recordsOf(portal)).toMatchObject([
      { ...row, code: 'rate_limited', details: { refused: 3 } },
      { ...row, result: 'done' },
      { ...row, code: 'logout_token_invalid' },
      { ...row, code: 'logout_token_invalid' },
    ])
  })

  test('is taken from a form with one token, and from nothing else', async () => {
    await using world = await openWorld()
    const { portal } = world
    const session = await world.open('laptop')
    const token = await world.sign()
    const form = new URLSearchParams({ logout_token: token })
    const twice = new URLSearchParams([
      ['logout_token', token],
      ['logout_token', token],
    ])
    const multipart = new FormData()
    multipart.set('logout_token', token)
    const requests: TestRequest[] = [
      {
        body: JSON.stringify({ logout_token: token }),
        headers: { 'content-type': 'application/json' },
      },
      { body: form.toString(), headers: { 'content-type': 'text/plain' } },
      { body: multipart },
      { body: twice },
      { body: new URLSearchParams({ token }) },
      {
        body: `${form.toString()}&x=${'x'.repeat(64 * 1024)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      {},
    ]
    for (const init of requests) {
      const response = await portal.request(BACKCHANNEL, { method: 'POST', ...init })
      expect(await outcomeOf(response)).toBe('400 logout_token_invalid')
    }
    const inQuery = await portal.request(`${BACKCHANNEL}?${form.toString()}`, { method: 'POST' })
    expect(inQuery.status).toBe(400)
    expect(await lives(portal, session)).toBe(true)
    expect((await send(portal, token)).status).toBe(200)
  })

  test('that could not be obeyed may be sent again', async () => {
    await using world = await openWorld()
    const { portal, issuer } = world
    const session = await world.open('laptop')
    const token = await world.sign()
    issuer.answers[JWKS] = () => new Response('<h1>Out of order</h1>', { status: 500 })
    const failed = await send(portal, token)
    expect(await outcomeOf(failed)).toBe('400 logout_failed')
    expect(await lives(portal, session)).toBe(true)
    issuer.answers[JWKS] = () => Response.json({ keys: [world.publicKey] })
    // Logout tokens do not reach a provider that failed less than a second ago.
    await Bun.sleep(1_050)
    expect((await send(portal, token)).status).toBe(200)
    expect(await lives(portal, session)).toBe(false)
  })

  test('that finds the database away is a failure, and may be sent again', async () => {
    await using world = await openWorld()
    const { portal } = world
    const { sessions } = portal.portal
    const whole = { ...sessions }
    const token = await world.sign()
    const away = async () => err({ kind: 'database_unavailable', reason: 'on demand' })
    Object.assign(sessions, { endPerson: away })
    const failed = await send(portal, token)
    expect(await outcomeOf(failed)).toBe('400 logout_failed')
    Object.assign(sessions, whole)
    expect((await send(portal, token)).status).toBe(200)
  })
})

describe('signing out', () => {
  /** A session with tokens of the provider. */
  async function openSignedIn(world: World, refreshToken: string | null = 'refresh-canary') {
    const tokens = {
      idToken: 'id-canary',
      idTokenExpiresAt: (seconds() + 60) * 1000,
      accessToken: 'access-canary',
      refreshToken,
      expiresAt: (seconds() + 60) * 1000,
    }
    const session = { ...world.signIn('laptop'), tokens, userAgent: null }
    return valueOf(await world.portal.portal.sessions.open(session)).token
  }
  const signOut = (portal: TestPortal, token: string) =>
    portal.request(LOGOUT, { method: 'POST', headers: { cookie: `portal_session=${token}` } })

  test('answers the page that ends the session of the provider, and revokes the refresh token', async () => {
    await using world = await openWorld()
    const { issuer, portal } = world
    issuer.metadata = {
      end_session_endpoint: `${issuer.issuer}/end`,
      revocation_endpoint: `${issuer.issuer}/revoke`,
    }
    const revoked = Promise.withResolvers<string>()
    issuer.answers['/revoke'] = async (request) => {
      revoked.resolve(await request.text())
      return new Response(null)
    }
    const token = await openSignedIn(world)
    const response = await signOut(portal, token)
    expect(response.status).toBe(200)
    expect(response.headers.get('set-cookie')).toContain('portal_session=; ')
    const { logoutUrl } = (await response.json()) as { logoutUrl: string }
    expect(logoutUrl).toStartWith(`${issuer.issuer}/end?`)
    const query = new URL(logoutUrl).searchParams
    expect(query.get('id_token_hint')).toBe('id-canary')
    expect(new URLSearchParams(await revoked.promise).get('token')).toBe('refresh-canary')
    expect(await lives(portal, token)).toBe(false)
    expect(await recordsOf(portal)).toMatchObject([{ action: 'session.sign_out', result: 'done' }])
  })

  test('works while the provider is away, and tells no log a token', async () => {
    await using world = await openWorld()
    const { issuer, portal } = world
    const token = await openSignedIn(world)
    await issuer[Symbol.asyncDispose]()
    const response = await signOut(portal, token)
    expect([response.status, await response.json()]).toStrictEqual([200, { logoutUrl: null }])
    expect(await lives(portal, token)).toBe(false)
    const logged = () => JSON.stringify(portal.logged)
    await until(() => logged().includes('refresh_token_not_revoked'))
    await until(() => logged().includes('logout_url_missing'))
    expect(logged()).not.toContain('canary')
  })

  test('does not wait for a discovery that hangs', async () => {
    // Longer than a test may take.
    await using world = await openWorld({ deadlineMs: 3_600_000 })
    const { issuer, portal } = world
    issuer.answers[DISCOVERY] = () => new Promise(() => {})
    const token = await openSignedIn(world)
    const response = await signOut(portal, token)
    expect([response.status, await response.json()]).toStrictEqual([200, { logoutUrl: null }])
    expect(await lives(portal, token)).toBe(false)
  })

  test('does not wait for a revocation that hangs', async () => {
    // Longer than a test may take.
    await using world = await openWorld({ deadlineMs: 3_600_000 })
    const { issuer, portal } = world
    issuer.metadata = { revocation_endpoint: `${issuer.issuer}/revoke` }
    const asked = Promise.withResolvers<void>()
    issuer.answers['/revoke'] = () => {
      asked.resolve()
      return new Promise(() => {})
    }
    const token = await openSignedIn(world)
    const response = await signOut(portal, token)
    expect([response.status, await response.json()]).toStrictEqual([200, { logoutUrl: null }])
    await asked.promise
  })

  test('of a session without a refresh token asks for no revocation', async () => {
    await using world = await openWorld()
    const { issuer, portal } = world
    issuer.metadata = { revocation_endpoint: `${issuer.issuer}/revoke` }
    const token = await openSignedIn(world, null)
    expect((await signOut(portal, token)).status).toBe(200)
    await Bun.sleep(20)
    expect(issuer.paths).not.toContain('/revoke')
  })

  test('that the database cannot record leaves nobody signed in here', async () => {
    await using world = await openWorld()
    const { portal } = world
    const token = await openSignedIn(world)
    expect(await lives(portal, token)).toBe(true)
    await portal.portal.close()
    const response = await signOut(portal, token)
    expect(await outcomeOf(response)).toBe('503 database_unavailable')
    expect(await lives(portal, token)).toBe(false)
  })
})
