import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { clientKey } from '#src/lib/adapters/identity/oidc/client-key.ts'
import { identityContract, rejected, signIn, tokensWith } from '#tests/contracts/identity.ts'
import { spawnOidcPeer } from '#tests/peers/oidc-provider.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { adaAt, openOidc } from './open-oidc.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** A key of this client, and its public half for the provider. */
function newClientKey(type: 'ec' | 'rsa', alg: string) {
  const { privateKey, publicKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = valueOf(clientKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).trim()))
  return { key: key, jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'c1', alg } }
}

identityContract('oidc', openOidc)

/** Ways of the client to its provider, which differ at the token endpoint alone. */
const WAYS: Readonly<Record<string, () => ReturnType<typeof openOidc>>> = {
  'with the provider in another process and its secret in the form': () =>
    openOidc({
      start: spawnOidcPeer,
      provider: { authentication: 'client_secret_post' },
      settings: { OIDC_CLIENT_AUTH: 'client_secret_post' },
    }),
  'with the key of the client': () => {
    const { key, jwk } = newClientKey('ec', 'ES256')
    return openOidc({
      provider: { authentication: 'private_key_jwt', clientKey: jwk },
      settings: { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_KEY: key, OIDC_CLIENT_KEY_ID: 'c1' },
    })
  },
  'over TLS with a CA of its own, with the provider in another process': openOverTls,
}

test.each(Object.entries(WAYS))('oidc, %s: every call of the token endpoint', async (_, open) => {
  await using at = await open()
  const { identity } = at
  const { principal, tokens } = await signIn(at)
  expect(principal).toStrictEqual(adaAt(at.peer.issuer))
  const renewed = valueOf(await identity.renew(tokens))
  const { accessToken, refreshToken } = renewed.tokens
  const exchanged = await identity.exchange(accessToken, 'urn:cluster:prod')
  const { token } = exchanged.ok ? exchanged.value : { token: '' }
  expect(await at.subjectOf(token, 'urn:cluster:prod')).toBe(principal.subject)
  expect(await identity.revoke(refreshToken ?? '')).toMatchObject({ ok: true })
  expect(await identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
})

async function openOverTls() {
  const authority = await makeAuthority()
  const { key, jwk } = newClientKey('rsa', 'RS256')
  return openOidc({
    start: spawnOidcPeer,
    provider: {
      tls: await authority.issue(),
      ca: authority.pem,
      authentication: 'private_key_jwt',
      clientKey: jwk,
    },
    settings: { OIDC_CLIENT_AUTH: 'private_key_jwt', OIDC_CLIENT_KEY: key },
  })
}

describe('oidc, with a provider that rotates refresh tokens', () => {
  test('tells who the person is by the claims of the ID token', async () => {
    await using at = await openOidc()
    const { principal } = await signIn(at)
    expect(principal).toStrictEqual(adaAt(at.peer.issuer))
  })

  test('a refresh token that is used again ends those that came of it', async () => {
    await using at = await openOidc()
    const first = (await signIn(at)).tokens
    const second = valueOf(await at.identity.renew(first))
    const { accessToken, refreshToken } = second.tokens
    expect(await at.identity.renew(first)).toStrictEqual(rejected)
    expect(await at.identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
    expect(await at.identity.exchange(accessToken, 'urn:cluster:prod')).toStrictEqual(rejected)
  })

  test('the sign-ins of one person do not end each other', async () => {
    await using at = await openOidc()
    const [one, other] = await Promise.all([signIn(at), signIn(at)])
    await at.identity.renew(one.tokens)
    await at.identity.renew(one.tokens)
    expect(await at.identity.renew(other.tokens)).toMatchObject({ ok: true })
  })
})

describe('oidc, at a certified provider', () => {
  test('SEC-O4 a person who goes back is told apart', async () => {
    await using at = await openOidc()
    const { url, transaction } = valueOf(await at.identity.authorizationRequest())
    const { searchParams } = await at.peer.authorize(url, 'nobody')
    expect(await at.identity.signIn(searchParams, transaction)).toStrictEqual({
      ok: false,
      error: { kind: 'sign_in_refused', error: 'access_denied' },
    })
  })

  test('a code whose request had another code verifier is refused', async () => {
    await using at = await openOidc()
    const { callback, transaction } = await at.begin()
    const codeVerifier = 'v'.repeat(43)
    expect(await at.identity.signIn(callback, { ...transaction, codeVerifier })).toStrictEqual({
      ok: false,
      error: { kind: 'sign_in_expired' },
    })
  })

  test('SEC-O5 an ID token of another request is refused by its nonce', async () => {
    await using at = await openOidc()
    const { callback, transaction } = await at.begin()
    expect(
      await at.identity.signIn(callback, { ...transaction, nonce: 'n'.repeat(43) }),
    ).toStrictEqual({
      ok: false,
      error: { kind: 'sign_in_invalid', reason: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' },
    })
  })

  test('SEC-O6 keys that are exchanged between two sign-ins are found', async () => {
    await using at = await openOidc()
    await signIn(at)
    await at.peer.rotateKeys()
    expect((await signIn(at)).principal).toStrictEqual(adaAt(at.peer.issuer))
    await at.peer.rotateKeys()
    const { tokens } = await signIn(at)
    await at.peer.rotateKeys()
    expect(await at.identity.renew(tokens)).toMatchObject({ ok: true })
  })

  test('SEC-O6 a provider that is away fails, and is there again afterwards', async () => {
    await using at = await openOidc({ settings: { deadlineMs: 2_000 } })
    const { tokens } = await signIn(at)
    const { callback, transaction } = await at.begin()
    await at.peer.fail(503)
    const failure = { ok: false, error: { kind: 'identity_error', reason: 'http_503' } } as const
    expect(await at.identity.signIn(callback, transaction)).toStrictEqual(failure)
    expect(await at.identity.renew(tokens)).toStrictEqual(failure)
    await at.peer.hang()
    const timeout = { ok: false, error: { kind: 'identity_timeout' } } as const
    expect(await at.identity.signIn(callback, transaction)).toStrictEqual(timeout)
    expect(await at.identity.renew(tokens)).toStrictEqual(timeout)
    await at.peer.recover()
    expect(await at.identity.signIn(callback, transaction)).toMatchObject({ ok: true })
    expect(await at.identity.renew(tokens)).toMatchObject({ ok: true })
  })

  test('a person whom the provider knows no more cannot be renewed', async () => {
    await using at = await openOidc()
    const { tokens } = await signIn(at)
    await at.peer.disable('ada')
    expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
  })

  test('tokens that the provider revoked cannot be renewed', async () => {
    await using at = await openOidc()
    const { tokens } = await signIn(at)
    await at.peer.revoke('ada')
    expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
  })

  test('groups that change are those of the next renewal', async () => {
    await using at = await openOidc()
    const { tokens } = await signIn(at)
    await at.peer.setGroups('ada', [])
    expect(await at.identity.renew(tokens)).toMatchObject({
      value: { principal: { groups: { kind: 'known', names: [] } } },
    })
  })

  test('its page ends the session there and leads back', async () => {
    await using at = await openOidc()
    const { tokens } = await signIn(at)
    const left = await at.identity.logoutUrl(tokens.idToken)
    const url = new URL(left.ok ? (left.value ?? '') : '')
    expect(url.origin).toBe(at.peer.issuer)
    expect(Object.fromEntries(url.searchParams)).toStrictEqual({
      client_id: 'portico',
      id_token_hint: tokens.idToken,
      post_logout_redirect_uri: 'https://portal.example.org/',
    })
    expect((await fetch(url)).status).toBe(200)
  })
})
