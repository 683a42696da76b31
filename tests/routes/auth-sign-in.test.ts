import { describe, expect, test } from 'bun:test'
import { err } from '#src/lib/result.ts'
import { noIdentityProvider } from '#src/lib/adapters/identity/none.ts'
import { ISSUER, people } from '#src/demo/people.ts'
import { type CookieJar, createCookieJar } from '#tests/support/browser-jar.ts'
import { nextMinute, openPortal, ORIGIN, type TestPortal } from '#tests/support/portal.ts'
import { recordsOf } from '#tests/support/audit-rows.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const LOGIN = '/api/v1/auth/login'
const CALLBACK = '/api/v1/auth/callback'
const SESSION = '/api/v1/auth/session'
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

interface Browser {
  readonly jar: CookieJar
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Begins a sign-in in a new tab. Answers its state. */
  begin(returnTo?: string): Promise<string>
}

function openBrowser(portal: TestPortal, jar = createCookieJar()): Browser {
  const get: Browser['get'] = async (path, headers = {}) => {
    const cookie = jar.header(path)
    const response = await portal.request(path, {
      from: '198.51.100.7',
      headers: { ...(cookie && { cookie }), ...headers },
    })
    jar.take(response)
    return response
  }
  return {
    jar,
    get,
    async begin(returnTo = '/docs') {
      const query = new URLSearchParams({ return_to: returnTo }).toString()
      const response = await get(`${LOGIN}?${query}`)
      expect(response.status).toBe(302)
      const location = new URL(response.headers.get('location') ?? '', ORIGIN)
      return location.searchParams.get('state') ?? ''
    },
  }
}

/** The callback of a person who signed in at the provider. */
function callbackOf(
  portal: TestPortal,
  state: string,
  { person = people.dev, ...changed }: Record<string, unknown> = {},
): string {
  const code = portal.identity.issueCode(person as typeof people.dev, state)
  const query = new URLSearchParams({ code, state, iss: ISSUER, ...(changed as object) })
  return `${CALLBACK}?${query.toString()}`
}

const subjectOf = async (browser: Browser): Promise<unknown> =>
  ((await (await browser.get(SESSION)).json()) as { subject?: string }).subject

describe('signing in', () => {
  test('leads to the provider, back to the callback, and on to where it was meant to', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const state = await browser.begin('/docs?x=1')
    expect(browser.jar.names()).toStrictEqual([`portal_login_${state.slice(0, 8)}`])

    const response = await browser.get(callbackOf(portal, state))
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/docs?x=1')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^portal_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=36000$/,
    )
    expect(browser.jar.names()).toStrictEqual(['portal_session'])
    expect(await subjectOf(browser)).toBe('dev')
  })

  test('the cookies go over https alone when the portal does', async () => {
    await using portal = await openPortal({ environment: { PUBLIC_URL: 'https://portal.test' } })
    const headers = { host: 'portal.test' }
    const begun = await portal.request(LOGIN, { headers })
    const [cookie = ''] = begun.headers.getSetCookie()
    expect(cookie).toEndWith('; Secure')
    const state = new URL(begun.headers.get('location') ?? '', ORIGIN).searchParams.get('state')
    const done = await portal.request(callbackOf(portal, state ?? ''), {
      headers: { ...headers, cookie: cookie.split(';')[0] ?? '' },
    })
    expect(done.status).toBe(303)
    for (const setCookie of done.headers.getSetCookie()) expect(setCookie).toEndWith('; Secure')
  })

  test('ends the session that the browser had, and no other (session fixation)', async () => {
    await using portal = await openPortal()
    const elsewhere = await portal.signIn('dev')
    const browser = openBrowser(portal)
    await browser.get(callbackOf(portal, await browser.begin()))
    const before = browser.jar.header('/')
    const state = await browser.begin()
    expect(await subjectOf(browser)).toBe('dev')
    await browser.get(callbackOf(portal, state, { person: people.manager }))
    expect(browser.jar.header('/')).not.toBe(before)
    expect(await subjectOf(browser)).toBe('manager')
    const old = await portal.request(SESSION, { headers: { cookie: before } })
    expect(old.status).toBe(401)
    const other = await portal.request(SESSION, {
      headers: { cookie: `portal_session=${elsewhere}` },
    })
    expect(other.status).toBe(200)
  })

  test('in two tabs at once ends in one working session', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const one = await browser.begin('/docs?tab=one')
    const two = await browser.begin('/docs?tab=two')
    const second = await browser.get(callbackOf(portal, two))
    const first = await browser.get(callbackOf(portal, one))
    expect([first, second].map(({ headers }) => headers.get('location'))).toStrictEqual([
      '/docs?tab=one',
      '/docs?tab=two',
    ])
    expect(await subjectOf(browser)).toBe('dev')
    expect(browser.jar.names()).toStrictEqual(['portal_session'])
  })

  test.each([
    ['//evil.test', '/'],
    ['http://portal.internal/docs', '/'],
    ['https://ui.test/teams?x=1', 'https://ui.test/teams?x=1'],
  ])('SEC-O7 return_to %s leads to %s, whatever the Host header', async (returnTo, expected) => {
    await using portal = await openPortal({
      environment: { ALLOWED_HOSTS: 'portal.internal', UI_ORIGINS: 'https://ui.test' },
    })
    const browser = openBrowser(portal)
    const callback = callbackOf(portal, await browser.begin(returnTo))
    const response = await browser.get(callback, { host: 'portal.internal' })
    expect(response.headers.get('location')).toBe(expected)
  })

  test('HEAD begins and completes nothing', async () => {
    await using portal = await openPortal()
    const head = await portal.request(LOGIN, { method: 'HEAD' })
    expect([head.status, head.headers.getSetCookie(), head.headers.get('location')]).toStrictEqual([
      204,
      [],
      null,
    ])
    const browser = openBrowser(portal)
    const callback = callbackOf(portal, await browser.begin())
    const peeked = await portal.request(callback, {
      method: 'HEAD',
      headers: { cookie: browser.jar.header(CALLBACK) },
    })
    expect([peeked.status, peeked.headers.getSetCookie()]).toStrictEqual([204, []])
    expect((await browser.get(callback)).status).toBe(303)
  })
})

describe('a callback is refused', () => {
  test('SEC-O1 without the cookie of a sign-in (login CSRF)', async () => {
    await using portal = await openPortal()
    const attacker = openBrowser(portal)
    const callback = callbackOf(portal, await attacker.begin())
    const victim = openBrowser(portal)
    const response = await victim.get(callback)
    expect(await outcomeOf(response)).toBe('400 sign_in_expired')
    expect(victim.jar.names()).toStrictEqual([])
    // The attempt has used up nothing.
    expect((await attacker.get(callback)).status).toBe(303)
  })

  test('SEC-O2 with a repeated parameter, or without a state', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const state = await browser.begin()
    const callback = callbackOf(portal, state)
    const queries = [
      `${callback}&state=${state}`,
      `${callback}&state=other`,
      `${callback}&code=other`,
      `${callback}&iss=${ISSUER}`,
      `${callback}&x=1&x=1`,
      CALLBACK,
      `${CALLBACK}?code=x`,
    ]
    for (const query of queries) {
      const response = await browser.get(query)
      expect([query, await outcomeOf(response)]).toStrictEqual([query, '400 sign_in_invalid'])
    }
    expect((await browser.get(callback)).status).toBe(303)
  })

  test('SEC-O3 a second time, and the session of the first goes on', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const state = await browser.begin()
    const kept = browser.jar.header(CALLBACK)
    const callback = callbackOf(portal, state)
    expect((await browser.get(callback)).status).toBe(303)

    // As the Back button asks, without the cookie of the sign-in, and as a thief with all of it.
    const again = await browser.get(callback)
    const thief = await portal.request(callback, { headers: { cookie: kept } })
    // With a code of the thief's own the provider would go along: it is the state that is used up.
    const fresh = await portal.request(callbackOf(portal, state), { headers: { cookie: kept } })
    for (const response of [again, thief, fresh]) {
      expect(await outcomeOf(response)).toBe('400 sign_in_expired')
    }
    expect(await subjectOf(browser)).toBe('dev')
  })

  test('SEC-O3 sent twice at once, one of them is completed', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const state = await browser.begin()
    const headers = { cookie: browser.jar.header(CALLBACK) }
    const answers = await Promise.all(
      [1, 2, 3].map(() => portal.request(callbackOf(portal, state), { headers })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([
      303, 400, 400,
    ])
  })

  test('SEC-O4 from another issuer (mix-up)', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const callback = callbackOf(portal, await browser.begin(), { iss: 'https://evil.test' })
    const response = await browser.get(callback)
    expect(await outcomeOf(response)).toBe('400 sign_in_invalid')
    expect(browser.jar.names()).toStrictEqual([])
  })
})

describe('a failed sign-in', () => {
  test('is a page for browsers, which leads to a new one with the same destination', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const callback = callbackOf(portal, await browser.begin('/docs?a=b"<'), { iss: 'x' })
    const response = await browser.get(callback, { ...HTML, 'x-request-id': 'given-id' })
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const page = await response.text()
    expect(page).toContain('The sign-in could not be verified')
    expect(page).toContain('<code>given-id</code>')
    expect(page).toContain(
      `href="${LOGIN}?return_to=%2Fdocs%3Fa%3Db%2522%3C"`.replace('%3C', '%253C'),
    )
    expect(page).not.toMatch(/<script|javascript:|\son\w+=/i)
  })

  test('its page allows its own style and nothing else', async () => {
    await using portal = await openPortal()
    const response = await openBrowser(portal).get(CALLBACK, HTML)
    const page = await response.text()
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
    const digest = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(style).not.toBe('')
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(page).not.toContain('style=')
  })

  test('tells somebody who is signed in that they still are', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const callback = callbackOf(portal, await browser.begin())
    await browser.get(callback)
    const page = await (await browser.get(callback, HTML)).text()
    expect(page).toContain(`You are still signed in as ${people.dev.name}.`)
  })

  test('before the provider could be asked is told in the same way', async () => {
    const failure = { kind: 'identity_unreachable' } as const
    const noProvider = () => Promise.resolve({ ok: false as const, error: failure })
    await using portal = await openPortal({
      openIdentity: () => ({ ...noIdentityProvider, authorizationRequest: noProvider }),
    })
    const browser = openBrowser(portal)
    const plain = await browser.get(`${LOGIN}?return_to=/docs`)
    expect(await outcomeOf(plain)).toBe('503 identity_unreachable')
    expect(plain.headers.get('retry-after')).toBe('5')
    expect(portal.logged.join('')).toContain('"failure":{"kind":"identity_unreachable"}')
    const page = await browser.get(`${LOGIN}?return_to=/docs`, HTML)
    expect([page.status, page.headers.get('retry-after')]).toStrictEqual([503, '5'])
    expect(await page.text()).toContain('The identity provider does not answer')
    expect((await portal.request(SESSION, { as: 'dev' })).status).toBe(200)
  })
})

test('without an identity provider says that the operator has to name one, and blames no provider', async () => {
  await using portal = await openPortal({ openIdentity: () => noIdentityProvider })
  const browser = openBrowser(portal)
  const plain = await browser.get(LOGIN)
  expect(plain.status).toBe(503)
  expect(await plain.json()).toMatchObject({
    code: 'identity_not_configured',
    title: expect.stringContaining('OIDC_ISSUER'),
  })
  const page = await browser.get(LOGIN, HTML)
  expect(page.status).toBe(503)
  const text = await page.text()
  expect(text).toContain('This installation has no identity provider.')
  expect(text).toContain('OIDC_ISSUER')
})

describe('the record of sign-ins', () => {
  test('has a row for a sign-in, for its failure and for a sign-out, with address and request id', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    await browser.get(callbackOf(portal, await browser.begin(), { iss: 'x' }), {
      'x-request-id': 'failed',
    })
    await browser.get(callbackOf(portal, await browser.begin()), { 'x-request-id': 'signed-in' })
    await portal.request('/api/v1/auth/logout', {
      method: 'POST',
      from: '198.51.100.7',
      headers: { cookie: browser.jar.header('/'), 'x-request-id': 'signed-out' },
    })
    const rows = await recordsOf(portal)
    expect(
      rows.map(({ actor, action, result, code, requestId, address }) => [
        actor?.subject ?? null,
        action,
        result,
        code,
        requestId,
        address,
      ]),
    ).toStrictEqual([
      ['dev', 'session.sign_out', 'done', null, 'signed-out', '198.51.100.7'],
      ['dev', 'session.sign_in', 'done', null, 'signed-in', '198.51.100.7'],
      [null, 'session.sign_in', 'denied', 'sign_in_invalid', 'failed', '198.51.100.7'],
    ])
  })

  test('has a row for a sign-in that could not begin', async () => {
    await using portal = await openPortal({ openIdentity: () => noIdentityProvider })
    const headers = { 'x-request-id': 'not-begun' }
    await portal.request(LOGIN, { headers, from: '198.51.100.7' })
    expect(await recordsOf(portal)).toMatchObject([
      {
        actor: null,
        action: 'session.sign_in',
        result: 'failed',
        code: 'identity_not_configured',
        requestId: 'not-begun',
        address: '198.51.100.7',
      },
    ])
  })

  test('is limited by address: further failures are 429, and a sign-in still succeeds', async () => {
    await using portal = await openPortal({ environment: { FAILED_SIGN_INS_PER_MINUTE: '2' } })
    nextMinute(portal)
    const browser = openBrowser(portal)
    const callback = callbackOf(portal, await browser.begin())
    const foreign = `${CALLBACK}?state=${'x'.repeat(36)}&code=y`
    const statuses: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      statuses.push((await portal.request(foreign)).status)
    }
    expect(statuses).toStrictEqual([400, 400, 429, 429])
    const page = await portal.request(foreign, { headers: HTML })
    expect([page.status, page.headers.get('retry-after')]).toStrictEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ])
    expect(await page.text()).toContain('Too many sign-ins have failed')
    expect(await recordsOf(portal)).toHaveLength(2)
    expect((await browser.get(callback)).status).toBe(303)
  })

  test('nobody is signed in while rows cannot be written', async () => {
    await using portal = await openPortal()
    const { audit, sessions } = portal.portal
    const { decide } = audit
    const opened: unknown[] = []
    Object.assign(audit, {
      decide: (...actor: Parameters<typeof decide>) => ({
        ...decide(...actor),
        begin: async () => err({ kind: 'database_unavailable', reason: 'on demand' }),
      }),
    })
    Object.assign(sessions, { open: (session: unknown) => opened.push(session) })
    const browser = openBrowser(portal)
    const response = await browser.get(callbackOf(portal, await browser.begin()))
    expect(await outcomeOf(response)).toBe('503 database_unavailable')
    expect(browser.jar.names()).not.toContain('portal_session')
    expect(opened).toStrictEqual([])
    expect(portal.logged.join('')).toContain('sign_in_failed')
  })

  test('no log has a code, a state, a nonce or a cookie', async () => {
    await using portal = await openPortal()
    const browser = openBrowser(portal)
    const failing = callbackOf(portal, await browser.begin(), { iss: 'https://evil.test/canary' })
    const good = callbackOf(portal, await browser.begin())
    const cookies = browser.jar.header(CALLBACK)
    await browser.get(failing)
    await browser.get(failing)
    await browser.get(good)
    const logged = JSON.stringify([portal.logged, portal.access])
    expect(logged).toContain('sign_in_failed')
    const secrets = [failing, good].flatMap((callback) => {
      const query = new URL(callback, ORIGIN).searchParams
      return [query.get('code') ?? '', query.get('state') ?? '']
    })
    for (const secret of [...secrets, 'canary', ...cookies.split(/[=;] ?/)]) {
      if (secret.length > 8) expect(logged).not.toContain(secret)
    }
  })
})
