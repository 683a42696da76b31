import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { base64url, SignJWT } from 'jose'
import type { LogoutNotice } from '#src/lib/ports/identity.ts'
import { signIn } from '#tests/contracts/identity.ts'
import {
  type Claims,
  DISCOVERY,
  failed,
  type FakeIssuer,
  JWKS,
  openFakeIssuer,
  timeout,
  unreachable,
  clockAhead,
  seconds,
} from './fake-issuer.ts'
import { FORGED } from './forgeries.ts'
import { openOidc } from './open-oidc.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

const claimsOf = (at: FakeIssuer, over: Claims = {}): Claims => ({
  ...at.claims(),
  exp: seconds() + 120,
  jti: 't-1',
  sid: 's-1',
  events: { [EVENT]: {} },
  ...over,
})

/** A logout token as the issuer signs it; undefined claims are left out. */
const logoutToken = (at: FakeIssuer, over: Claims = {}, typ: unknown = 'logout+jwt') =>
  new SignJWT(JSON.parse(JSON.stringify(claimsOf(at, over))))
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...Object(typ !== null && { typ }) })
    .sign(at.privateKey())

const invalid = (reason: string) => ({
  ok: false as const,
  error: { kind: 'logout_token_invalid' as const, reason },
})

describe('SEC-O8 a logout token is refused', () => {
  const CLAIM = 'ERR_JWT_CLAIM_VALIDATION_FAILED'

  test.each<[string, () => Claims, string]>([
    ['of another issuer', () => ({ iss: 'https://evil.example.org' }), CLAIM],
    ['for another client', () => ({ aud: 'other' }), CLAIM],
    ['for another client too', () => ({ aud: ['portico', 'other'] }), 'other_audiences'],
    ['for nobody', () => ({ aud: undefined }), CLAIM],
    ['with a nonce', () => ({ nonce: 'n' }), 'nonce'],
    ['with an empty nonce', () => ({ nonce: null }), 'nonce'],
    ['without its event', () => ({ events: undefined }), 'other_event'],
    ['of another event', () => ({ events: { other: {} } }), 'other_event'],
    ['with an event that is none', () => ({ events: { [EVENT]: true } }), 'other_event'],
    ['with a list of events', () => ({ events: [EVENT] }), 'other_event'],
    ['without a session or a person', () => ({ sid: undefined, sub: undefined }), 'no_session'],
    ['with an empty session', () => ({ sid: '' }), 'sid'],
    ['with a session that is a number', () => ({ sid: 7 }), 'sid'],
    ['with an empty person', () => ({ sub: '' }), 'sub'],
    ['with a person that no database takes', () => ({ sub: 'a\0b' }), 'sub'],
    ['with too long a person', () => ({ sub: 'x'.repeat(256) }), 'sub'],
    ['with a session that no database takes', () => ({ sid: 'a\0b' }), 'sid'],
    ['with too long a session', () => ({ sid: 'x'.repeat(513) }), 'sid'],
    ['with an id that is none', () => ({ jti: {} }), 'jti'],
    ['without an id', () => ({ jti: undefined }), CLAIM],
    ['with an empty id', () => ({ jti: '' }), 'jti'],
    ['with an id that fills the database', () => ({ jti: 'x'.repeat(1025) }), 'jti'],
    ['without a beginning', () => ({ iat: undefined }), CLAIM],
    [
      'that is old and has no end',
      () => ({ iat: seconds() - 331, exp: undefined }),
      'token_expired',
    ],
    ['after its end', () => ({ exp: seconds() - 60 }), 'ERR_JWT_EXPIRED'],
    ['that is old', () => ({ iat: seconds() - 400, exp: seconds() + 60 }), 'too_old'],
    ['from the future', () => ({ iat: seconds() + 60 }), 'issued_in_future'],
  ])('%s', async (_, claims, reason) => {
    await using at = await openFakeIssuer()
    expect(await at.identity.readLogoutToken(await logoutToken(at, claims()))).toStrictEqual(
      invalid(reason),
    )
  })

  test.each<[string, unknown]>([
    ['that is an access token', 'at+jwt'],
    ['that is an access token, in full', 'application/at+jwt'],
    ['of a security event', 'secevent+jwt'],
    ['of an empty type', ''],
    ['of a type that is no text', ['JWT']],
  ])('%s', async (_, typ) => {
    await using at = await openFakeIssuer()
    const token = await logoutToken(at, {}, typ)
    expect(await at.identity.readLogoutToken(token)).toStrictEqual(invalid('typ'))
  })

  test.each(['JWT', null])('that is an ID token of type %p', async (typ) => {
    await using at = await openFakeIssuer()
    for (const more of [{}, { nonce: 'n' }]) {
      const idToken = await logoutToken(at, { events: undefined, ...more }, typ)
      expect(await at.identity.readLogoutToken(idToken)).toStrictEqual(invalid('other_event'))
    }
    const both = await logoutToken(at, { nonce: 'n' }, typ)
    expect(await at.identity.readLogoutToken(both)).toStrictEqual(invalid('nonce'))
  })

  test.each(FORGED)('%s', async (_, forge) => {
    await using at = await openFakeIssuer()
    const token = await forge(at, claimsOf(at))
    expect(await at.identity.readLogoutToken(token)).toMatchObject({
      ok: false,
      error: { kind: 'logout_token_invalid' },
    })
  })

  test('that is too long, before anything is asked of the provider', async () => {
    await using at = await openFakeIssuer()
    await at.refresh()
    const asked = at.paths.length
    expect(await at.identity.readLogoutToken('x'.repeat(65 * 1024))).toStrictEqual(
      invalid('too_long'),
    )
    expect(at.paths).toHaveLength(asked)
  })
})

describe('a logout token', () => {
  test('ends a session, or all of a person', async () => {
    await using at = await openFakeIssuer()
    const now = seconds()
    const notice: LogoutNotice = {
      issuer: at.issuer,
      subject: 'ada',
      sid: 's-1',
      tokenId: 't-1',
      expiresAt: (now + 120 + 30) * 1000,
    }
    const read = async (over: Claims, typ?: string | null) =>
      at.identity.readLogoutToken(await logoutToken(at, { iat: now, exp: now + 120, ...over }, typ))
    expect(await read({})).toStrictEqual({ ok: true, value: notice })
    for (const typ of ['application/logout+jwt', 'LOGOUT+JWT', 'JWT', 'jwt', null]) {
      expect(await read({}, typ)).toStrictEqual({ ok: true, value: notice })
    }
    // Without an end, as of Hydra and of former versions of Authentik and Keycloak.
    expect(await read({ exp: undefined })).toMatchObject({
      value: { expiresAt: (now + 330) * 1000 },
    })
    expect(await read({ sub: undefined })).toMatchObject({ value: { subject: null, sid: 's-1' } })
    expect(await read({ sid: undefined })).toMatchObject({ value: { subject: 'ada', sid: null } })
    // Past five minutes its age refuses it, whatever its end.
    expect(await read({ exp: now + 86_400 })).toMatchObject({
      value: { expiresAt: (now + 330) * 1000 },
    })
  })

  test('with an unknown key makes the provider be asked once in half a minute', async () => {
    const clock = clockAhead()
    await using at = await openFakeIssuer({ clock })
    const keyRequests = () => at.paths.filter((path) => path === JWKS).length
    const unknown = FORGED.find(([name]) => name === 'by an unknown key')?.[1]
    const token = (await unknown?.(at, claimsOf(at))) ?? ''
    for (let calls = 0; calls < 20; calls++) await at.identity.readLogoutToken(token)
    expect(keyRequests()).toBe(1)
    clock.ahead = 30_000
    await at.identity.readLogoutToken(token)
    expect(keyRequests()).toBe(2)
    // Tokens from the provider itself do not wait.
    await at.rotate('k2')
    expect(await at.refresh()).toMatchObject({ ok: true })
  })

  test('with a new key does not wait for a clock that was set back', async () => {
    const clock = clockAhead(3_600_000)
    await using at = await openFakeIssuer({ clock })
    await at.refresh()
    clock.ahead = 0
    await at.rotate('k1')
    expect(await at.identity.readLogoutToken(await logoutToken(at))).toMatchObject({ ok: true })
  })

  test('makes a provider that fails be asked once in a second, and known keys go on', async () => {
    const clock = clockAhead()
    await using at = await openFakeIssuer({ clock })
    const unknown = FORGED.find(([name]) => name === 'by an unknown key')?.[1]
    const forged = (await unknown?.(at, claimsOf(at))) ?? ''
    const flood = async (path: string) => {
      const before = at.paths.filter((asked) => asked === path).length
      for (let calls = 0; calls < 20; calls++) {
        expect(await at.identity.readLogoutToken(forged)).toStrictEqual(failed('http_503'))
      }
      return at.paths.filter((asked) => asked === path).length - before
    }
    const away = () => new Response('', { status: 503 })
    at.answers[JWKS] = away
    for (const path of [DISCOVERY, JWKS]) {
      at.answers[DISCOVERY] = path === DISCOVERY ? away : undefined
      for (let rounds = 0; rounds < 2; rounds++) {
        expect(await flood(path)).toBe(1)
        clock.ahead += 1_000
      }
    }
    at.answers[JWKS] = undefined
    expect(await at.identity.readLogoutToken(forged)).toStrictEqual(
      invalid('ERR_JWKS_NO_MATCHING_KEY'),
    )
    clock.ahead += 30_000
    at.answers[JWKS] = away
    expect(await flood(JWKS)).toBe(1)
    const token = await logoutToken(at, { exp: seconds() + 240 })
    expect(await at.identity.readLogoutToken(token)).toMatchObject({ ok: true })
  })

  test('is not invalid because the keys cannot be had', async () => {
    const clock = clockAhead()
    await using at = await openFakeIssuer({ clock })
    const token = await logoutToken(at)
    at.answers[JWKS] = () => new Response('', { status: 503 })
    expect(await at.identity.readLogoutToken(token)).toStrictEqual(failed('http_503'))
    clock.ahead += 1_000
    const late = await at.late(JWKS, () => at.identity.readLogoutToken(token))
    expect(late).toStrictEqual(timeout)
    clock.ahead += 1_000
    await at[Symbol.asyncDispose]()
    expect(await at.identity.readLogoutToken(token)).toStrictEqual(unreachable)
  })
})

describe('SEC-O8 logout tokens of a certified provider', () => {
  async function withPortal() {
    const tokens: string[] = []
    const portal = Bun.serve({
      port: 0,
      async fetch(request) {
        tokens.push(new URLSearchParams(await request.text()).get('logout_token') ?? '')
        return new Response()
      },
    })
    const backchannelLogout = new URL('/logout', portal.url).href
    const at = await openOidc({ provider: { backchannelLogout } })
    return {
      ...at,
      tokens,
      async [Symbol.asyncDispose]() {
        await at[Symbol.asyncDispose]()
        await portal.stop(true)
      },
    }
  }

  test('name the session of the sign-in', async () => {
    await using at = await withPortal()
    const { sid, principal } = await signIn(at)
    expect(sid).not.toBeNull()
    expect(await at.peer.logout('ada')).toStrictEqual([true])
    const [token = ''] = at.tokens
    expect(await at.identity.readLogoutToken(token)).toMatchObject({
      ok: true,
      value: { issuer: principal.issuer, sid, subject: 'ada' },
    })
  })

  test('name the person alone', async () => {
    await using at = await withPortal()
    await signIn(at)
    await at.peer.logout('ada', 'sub')
    const [token = ''] = at.tokens
    expect(await at.identity.readLogoutToken(token)).toMatchObject({
      ok: true,
      value: { sid: null, subject: 'ada' },
    })
  })
})

test('SEC-O8 nothing that anybody sends is taken for a logout token', async () => {
  await using at = await openFakeIssuer()
  const part = fc.oneof(
    fc.json().map((json) => base64url.encode(json)),
    fc.base64String().map((text) => text.replaceAll(/[+/=]/g, '_')),
    fc.constant(base64url.encode('{"alg":"ES256","kid":"k1","typ":"logout+jwt"}')),
    fc.string(),
  )
  const token = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'))
  await fc.assert(
    fc.asyncProperty(token, async (sent) => {
      expect(await at.identity.readLogoutToken(sent)).toMatchObject({
        ok: false,
        error: { kind: 'logout_token_invalid' },
      })
    }),
    { numRuns: 1_000 },
  )
})
