import { describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import {
  type FakeIssuer,
  JWKS,
  openFakeIssuer,
  TOKEN,
  seconds,
} from '#tests/adapters/identity/fake-issuer.ts'
import { ada, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { createCookieJar } from '#tests/support/browser-jar.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import {
  authorization,
  exchange,
  form,
  refresh,
  type Tokens,
  withToken,
} from '#tests/support/grants.ts'
import { openPortal, ORIGIN, type TestPortal, type TestRequest } from '#tests/support/portal.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const LOGIN = '/api/v1/auth/login'
const SESSION = '/api/v1/auth/session'
const HTML = { accept: 'text/html' }

/** A browser that signs in at a provider. */
function openBrowser(portal: TestPortal) {
  const jar = createCookieJar()
  async function send(url: string | URL, init: TestRequest) {
    const { pathname, search } = new URL(url, ORIGIN)
    const cookie = jar.header(pathname)
    const headers = { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) }
    const response = await portal.request(`${pathname}${search}`, { ...init, headers })
    jar.take(response)
    return response
  }
  const get = (url: string | URL, headers: Readonly<Record<string, string>> = {}) =>
    send(url, { headers })
  return {
    jar,
    get,
    send,
    /** Answers the page of the provider. */
    async begin(returnTo = '/docs') {
      const response = await get(`${LOGIN}?return_to=${encodeURIComponent(returnTo)}`)
      expect(response.status).toBe(302)
      return new URL(response.headers.get('location') ?? '')
    },
  }
}

const openPortalAt = (issuer: string) =>
  openPortal({
    openIdentity: (clock) =>
      createOidcIdentityProvider(
        oidcSettings(issuer, { publicUrl: new URL(ORIGIN), clock, deadlineMs: 2_000 }),
      ),
  })

/** The certified provider and a portal whose people sign in there. */
async function openCertified(options: { readonly refreshTokens?: boolean } = {}) {
  const peer = await startOidcPeer({ publicUrl: ORIGIN, ...options })
  const portal = await openPortalAt(peer.issuer)
  return {
    peer,
    portal,
    async [Symbol.asyncDispose]() {
      await portal[Symbol.asyncDispose]()
      await peer[Symbol.asyncDispose]()
    },
  }
}

type Claims = Readonly<Record<string, unknown>>
const own = await generateKeyPair('ES256', { extractable: true })
const stranger = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256' }

describe('at a certified provider', () => {
  test('a person signs in, with the groups of the provider', async () => {
    await using world = await openCertified()
    const browser = openBrowser(world.portal)
    const page = await browser.begin('/docs?x=1')
    expect(page.origin).toBe(world.peer.issuer)
    expect(page.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/api/v1/auth/callback`)
    expect(page.searchParams.get('code_challenge_method')).toBe('S256')
    const callback = await world.peer.authorize(page.href)
    const response = await browser.get(callback)
    expect([response.status, response.headers.get('location')]).toStrictEqual([303, '/docs?x=1'])
    expect(await (await browser.get(SESSION)).json()).toMatchObject({
      subject: ada.sub,
      groups: ada.groups,
      groupsKnown: true,
      groupsAdvice: null,
    })
  })

  test.each([true, false])(
    'a grant has tokens of its own there, and outlives the session where one is a refresh token: %p',
    async (refreshTokens) => {
      await using world = await openCertified({ refreshTokens })
      const { portal, peer } = world
      const browser = openBrowser(portal)
      await browser.get(await peer.authorize((await browser.begin()).href))
      const asked = await (await browser.get(`/oauth/authorize?${authorization()}`)).text()
      const [, consent = ''] = /name="consent" value="([^"]+)"/.exec(asked) ?? []
      const allowed = await browser.send('/oauth/authorize', form({ consent, choice: 'allow' }))
      const page = new URL(allowed.headers.get('location') ?? '')
      expect(page.searchParams.get('scope')).toContain('offline_access')
      const back = await (await browser.get(await peer.authorize(page.href))).text()
      const [, code = ''] = /[?&;]code=(prc_\w+)/.exec(back) ?? []
      const tokens = (await (await exchange(portal, { code })).json()) as Tokens
      const read = async () =>
        (await portal.request('/api/v1/catalog/entities', withToken(tokens.access_token))).status
      expect(await read()).toBe(200)
      portal.clock.advance(301_000)
      expect(await read()).toBe(200)
      await browser.send('/api/v1/auth/logout', { method: 'POST' })
      portal.clock.advance(1_000)
      expect(await read()).toBe(refreshTokens ? 200 : 401)
      await peer.disable(ada.sub)
      portal.clock.advance(301_000)
      expect((await refresh(portal, tokens.refresh_token)).status).toBe(400)
    },
  )

  test('SEC-O3 a callback that comes twice leaves the first session and its tokens alone', async () => {
    await using world = await openCertified()
    const browser = openBrowser(world.portal)
    const callback = await world.peer.authorize((await browser.begin()).href)
    const cookie = browser.jar.header('/api/v1/auth/callback')
    await browser.get(callback)
    const thief = await world.portal.request(`${callback.pathname}${callback.search}`, {
      headers: { cookie },
    })
    expect(await outcomeOf(thief)).toBe('400 sign_in_expired')
    // The provider revokes every token of a code that it sees twice: it must not have seen it.
    const claims = await browser.get('/api/v1/auth/session')
    expect(claims.status).toBe(200)
    world.portal.clock.advance(301_000)
    const decided = await world.portal.request('/api/v1/audit?team=payments', {
      headers: { cookie: browser.jar.header('/api/v1/audit') },
    })
    expect(decided.status).toBe(200)
  })

  test('SEC-O4 a person who refuses is told so', async () => {
    await using world = await openCertified()
    const browser = openBrowser(world.portal)
    const callback = await world.peer.authorize((await browser.begin('/docs')).href, 'nobody')
    expect(callback.searchParams.get('error')).toBe('access_denied')
    const response = await browser.get(callback, HTML)
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain('You were not signed in')
    expect(page).toContain(`href="${LOGIN}?return_to=%2Fdocs"`)
    const again = await world.peer.authorize((await browser.begin()).href, 'nobody')
    const problem = await browser.get(again)
    expect(await problem.json()).toMatchObject({ code: 'sign_in_refused', reason: 'access_denied' })
    expect(browser.jar.names()).toStrictEqual([])
  })

  test.each<[string, (peer: OidcPeer) => Promise<void>, number, string]>([
    ['hangs', (peer) => peer.hang(), 504, 'identity_timeout'],
    ['answers HTML', (peer) => peer.fail(200), 502, 'identity_error'],
  ])(
    'SEC-O6 a provider that %s is a problem of its own, and sessions go on',
    async (_, trouble, status, code) => {
      await using peer = await startOidcPeer({ publicUrl: ORIGIN })
      await using portal = await openPortalAt(peer.issuer)
      const browser = openBrowser(portal)
      const callback = await peer.authorize((await browser.begin()).href)
      await trouble(peer)
      const failed = await browser.get(callback)
      expect(await outcomeOf(failed)).toBe(`${status} ${code}`)
      expect((await portal.request(SESSION, { as: 'dev' })).status).toBe(200)
      await peer.recover()
      const again = await peer.authorize((await browser.begin()).href)
      expect((await browser.get(again)).status).toBe(303)
    },
  )

  test('a person whose groups cannot be read is signed in, and told what to change', async () => {
    await using world = await openCertified()
    const { peer, portal } = world
    await peer.setGroups(ada.sub, { nothing: 'of use' })
    const browser = openBrowser(portal)
    const response = await browser.get(
      await peer.authorize((await browser.begin('/docs')).href),
      HTML,
    )
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('You are signed in, but without your groups')
    expect(page).toContain('OIDC_GROUPS_CLAIM')
    expect(page).toContain('href="/docs"')

    const session = (await (await browser.get(SESSION)).json()) as { groupsAdvice: string }
    expect(session).toMatchObject({ subject: 'ada', groups: [], groupsKnown: false, teams: [] })
    expect(session.groupsAdvice).toContain('OIDC_GROUPS_CLAIM')
    const refused = await browser.get('/api/v1/audit?team=payments')
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'forbidden', detail: session.groupsAdvice, required: expect.any(Array) },
    ])
    // Programs are told by GET /session, and go where they wanted to.
    const plain = await browser.get(await peer.authorize((await browser.begin('/docs')).href))
    expect([plain.status, plain.headers.get('location')]).toStrictEqual([303, '/docs'])
  })
})

describe('an ID token', () => {
  const sign = (claims: Claims, key = own.privateKey) =>
    new SignJWT(JSON.parse(JSON.stringify(claims)) as Record<string, unknown>)
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(key)

  /** Completes a sign-in with the ID token that the forger makes of the good claims. */
  async function signInWith(
    forge: (claims: Claims, issuer: FakeIssuer) => string | Promise<string>,
  ) {
    await using issuer = await openFakeIssuer()
    issuer.answers[JWKS] = () => Response.json({ keys: [jwk] })
    await using portal = await openPortalAt(issuer.issuer)
    const browser = openBrowser(portal)
    const query = (await browser.begin()).searchParams
    const idToken = await forge(
      { ...issuer.claims({ aud: 'portico', nonce: query.get('nonce'), name: 'Ada', groups: [] }) },
      issuer,
    )
    issuer.answers[TOKEN] = () =>
      Response.json({ token_type: 'Bearer', expires_in: 60, access_token: 'a', id_token: idToken })
    const state = query.get('state') ?? ''
    const response = await browser.get(
      `/api/v1/auth/callback?${new URLSearchParams({ code: 'c', state }).toString()}`,
    )
    const { code } =
      response.status === 303
        ? { code: 'signed in' }
        : ((await response.json()) as { code: string })
    return { status: response.status, code, cookies: browser.jar.names(), logged: portal.logged }
  }

  // The rules are those of the adapter of the identity provider.
  test.each<[string, (claims: Claims) => Promise<string>, number, string]>([
    ['that is good', (claims) => sign(claims), 303, 'signed in'],
    ['of another sign-in', (claims) => sign({ ...claims, nonce: 'x' }), 400, 'sign_in_invalid'],
    ['of a stranger', (claims) => sign(claims, stranger.privateKey), 400, 'sign_in_invalid'],
    [
      'that has ended',
      (claims) => sign({ ...claims, iat: seconds() - 900, exp: seconds() - 300 }),
      400,
      'sign_in_clock',
    ],
  ])('SEC-O5 %s', async (_, forge, status, code) => {
    const { logged, ...answer } = await signInWith(forge)
    const cookies = status === 303 ? ['portal_session'] : []
    expect(answer).toStrictEqual({ status, code, cookies })
    expect(JSON.stringify(logged)).not.toContain('eyJ')
  })
})
