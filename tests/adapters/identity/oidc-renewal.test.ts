import { describe, expect, test } from 'bun:test'
import type { IdentityTokens } from '#src/lib/ports/identity.ts'
import { err } from '#src/lib/result.ts'
import { rejected, signIn } from '#tests/contracts/identity.ts'
import {
  failed,
  type FakeIssuer,
  JWKS,
  openFakeIssuer,
  TOKEN,
  USERINFO,
  unreachable,
  clockAhead,
  seconds,
} from './fake-issuer.ts'
import { openOidc } from './open-oidc.ts'
import { valueOf } from '#tests/support/value-of.ts'

const HOUR_MS = 3_600_000

/** Tokens of a sign-in an hour ago: Ada was in `old`. */
const tokensAt = async (
  at: FakeIssuer,
  over: Partial<IdentityTokens> = {},
): Promise<IdentityTokens> => ({
  idToken: await at.sign({ name: 'Ada', groups: ['old'], sid: 's-1' }),
  idTokenExpiresAt: clockAhead(60_000).now(),
  accessToken: 'access-0',
  refreshToken: 'refresh-0',
  expiresAt: clockAhead(60_000).now(),
  ...over,
})

const notRenewable = err({ kind: 'identity_not_renewable' })

describe('a refresh answer without an ID token', () => {
  test('leaves the old ID token, and takes the groups of UserInfo', async () => {
    await using at = await openFakeIssuer()
    at.tokens = { id_token: undefined, refresh_token: 'refresh-1' }
    at.userInfo = { sub: 'ada', groups: ['new'] }
    const before = await tokensAt(at)
    const { principal, sid, tokens } = valueOf(await at.identity.renew(before))
    expect(principal).toMatchObject({ name: 'Ada', groups: { kind: 'known', names: ['new'] } })
    expect(sid).toBe('s-1')
    expect(tokens).toMatchObject({
      idToken: before.idToken,
      idTokenExpiresAt: before.idTokenExpiresAt,
      refreshToken: 'refresh-1',
    })
  })

  test('never means the old groups', async () => {
    await using at = await openFakeIssuer()
    at.tokens = { id_token: undefined }
    const unknown = { value: { principal: { groups: { kind: 'unknown', reason: 'missing' } } } }
    expect(await at.identity.renew(await tokensAt(at))).toMatchObject(unknown)

    await using without = await openFakeIssuer()
    without.metadata = { userinfo_endpoint: undefined }
    without.tokens = { id_token: undefined }
    expect(await without.identity.renew(await tokensAt(without))).toMatchObject(unknown)
  })

  test('of which UserInfo is about somebody else is not taken', async () => {
    await using at = await openFakeIssuer()
    at.tokens = { id_token: undefined }
    at.userInfo = { sub: 'eve', groups: ['platform-team'] }
    expect(await at.identity.renew(await tokensAt(at))).toMatchObject({
      error: {
        kind: 'identity_claims_unread',
        failure: failed('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED').error,
      },
    })
  })
})

describe('claims that cannot be read after the provider gave new tokens', () => {
  test.each([
    ['UserInfo fails', USERINFO, 503, 'http_503'],
    // The access token is new: its refusal is no refusal of the person.
    ['UserInfo refuses', USERINFO, 401, 'http_401'],
    ['the keys fail', JWKS, 500, 'http_500'],
  ])('leave the new tokens to the caller when %s', async (_, path, status, reason) => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    at.answers[path] = () => new Response('', { status })
    at.tokens = { refresh_token: 'refresh-1', access_token: 'access-1' }
    const before = await tokensAt(at)
    const renewed = await at.identity.renew(before)
    expect(renewed).toMatchObject({
      ok: false,
      error: {
        kind: 'identity_claims_unread',
        failure: { kind: 'identity_error', reason },
        tokens: {
          // The new ID token was not verified.
          idToken: before.idToken,
          idTokenExpiresAt: before.idTokenExpiresAt,
          accessToken: 'access-1',
          refreshToken: 'refresh-1',
        },
      },
    })
    if (renewed.ok || renewed.error.kind !== 'identity_claims_unread') throw new Error('renewed')
    at.answers[path] = undefined
    expect(await at.identity.renew(renewed.error.tokens)).toMatchObject({ ok: true })
    expect(at.asked.at(-1)?.form['refresh_token']).toBe('refresh-1')
  })

  test('leave them when our clock is wrong', async () => {
    await using at = await openFakeIssuer({ clock: clockAhead(600_000) })
    at.tokens = { refresh_token: 'refresh-1' }
    expect(await at.identity.renew(await tokensAt(at))).toMatchObject({
      error: {
        kind: 'identity_claims_unread',
        tokens: { refreshToken: 'refresh-1' },
        failure: { reason: 'ERR_JWT_EXPIRED' },
      },
    })
  })

  test('are told apart from a token endpoint that fails', async () => {
    await using at = await openFakeIssuer()
    const tokens = await tokensAt(at)
    at.answers[TOKEN] = () => new Response('', { status: 503 })
    expect(await at.identity.renew(tokens)).toStrictEqual(failed('http_503'))
    at.answers[TOKEN] = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
    await at[Symbol.asyncDispose]()
    expect(await at.identity.renew(tokens)).toStrictEqual(unreachable)
  })
})

test.each([
  ['Dex', 'Refresh token expired.'],
  ['Zitadel', 'Errors.OIDCSession.RefreshTokenInvalid'],
])('an invalid request is a refresh token that %s takes no more', async (_, description) => {
  await using at = await openFakeIssuer()
  at.answers[TOKEN] = () =>
    Response.json({ error: 'invalid_request', error_description: description }, { status: 400 })
  expect(await at.identity.renew(await tokensAt(at))).toStrictEqual(rejected)
})

test('an error of Dex itself is none of the refresh token', async () => {
  await using at = await openFakeIssuer()
  at.answers[TOKEN] = () => Response.json({ error: 'invalid_request' }, { status: 500 })
  expect(await at.identity.renew(await tokensAt(at))).toStrictEqual(failed('http_500'))
})

test('an invalid request for another reason is an error', async () => {
  await using at = await openFakeIssuer()
  at.answers[TOKEN] = () =>
    Response.json(
      {
        error: 'invalid_request',
        error_description: 'AADSTS90009: Application is requesting a token for itself.',
      },
      { status: 400 },
    )
  expect(await at.identity.renew(await tokensAt(at))).toStrictEqual(failed('invalid_request'))
})

describe('without a refresh token', () => {
  test('claims come from UserInfo where the groups are there, and the tokens stay', async () => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    at.userInfo = { sub: 'ada', groups: ['new'] }
    const tokens = await tokensAt(at, { refreshToken: null })
    const renewed = await at.identity.renew(tokens)
    expect(renewed).toMatchObject({
      ok: true,
      value: { principal: { name: 'Ada', groups: { kind: 'known', names: ['new'] } }, sid: 's-1' },
    })
    expect(renewed.ok && renewed.value.tokens).toStrictEqual(tokens)
    expect(at.asked).toStrictEqual([])
  })

  test('there is nothing to renew where the ID token has the groups', async () => {
    await using at = await openFakeIssuer()
    expect(await at.identity.renew(await tokensAt(at, { refreshToken: null }))).toStrictEqual(
      notRenewable,
    )
    expect(at.paths).toStrictEqual([])
  })

  test('there is nothing to renew once the access token has ended', async () => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    const tokens = await tokensAt(at, { refreshToken: null, expiresAt: seconds() * 1000 })
    expect(await at.identity.renew(tokens)).toStrictEqual(notRenewable)
    expect(at.paths).toStrictEqual([])
  })

  test('a provider that refuses the access token before its end refuses the person', async () => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    const tokens = await tokensAt(at, { refreshToken: null })
    at.answers[USERINFO] = () =>
      new Response('', {
        status: 401,
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      })
    expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
    at.answers[USERINFO] = () => new Response('', { status: 401 })
    expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
    at.answers[USERINFO] = () => new Response('', { status: 503 })
    expect(await at.identity.renew(tokens)).toStrictEqual(failed('http_503'))
  })

  test('another person in UserInfo is an error', async () => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    at.userInfo = { sub: 'eve', groups: ['platform-team'] }
    expect(await at.identity.renew(await tokensAt(at, { refreshToken: null }))).toMatchObject({
      ok: false,
      error: { kind: 'identity_error' },
    })
  })
})

describe('a certified provider that has the groups in UserInfo', () => {
  const open = (refreshTokens: boolean) =>
    openOidc({
      provider: { groupsIn: 'userinfo', refreshTokens },
      settings: { OIDC_GROUPS_FROM: 'userinfo' },
    })
  const known = (...names: string[]) => ({
    value: { principal: { name: 'Ada', groups: { kind: 'known', names } } },
  })

  test.each([true, false])('renews claims, with a refresh token: %p', async (refreshTokens) => {
    await using at = await open(refreshTokens)
    const signedIn = await signIn(at)
    expect(signedIn.principal).toMatchObject(known('payments').value.principal)
    expect(signedIn.tokens.refreshToken === null).toBe(!refreshTokens)
    await at.peer.setGroups('ada', ['shipping'])
    expect(await at.identity.renew(signedIn.tokens)).toMatchObject(known('shipping'))
  })

  test.each([true, false])('refuses a person it knows no more, %p', async (refreshTokens) => {
    await using at = await open(refreshTokens)
    const { tokens } = await signIn(at)
    await at.peer.disable('ada')
    expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
  })

  test('has no refresh token for ever: past the end of the access token there is no renewal', async () => {
    await using at = await open(false)
    const { tokens } = await signIn(at)
    await at.pass((tokens.expiresAt - at.now()) / HOUR_MS)
    expect(await at.identity.renew(tokens)).toStrictEqual(notRenewable)
  })
})
