import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { OidcSettings } from '#src/lib/adapters/identity/oidc/index.ts'
import type { SignInTransaction } from '#src/lib/ports/identity.ts'
import {
  type Answer,
  CANARY,
  type Claims,
  DISCOVERY,
  type FakeIssuer,
  JWKS,
  openFakeIssuer,
  TOKEN,
  USERINFO,
  clockAhead,
  seconds,
} from './fake-issuer.ts'
import { FORGED } from './forgeries.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** Begins a sign-in, and completes it with a code. `over` is added to the callback. */
async function signIn(at: FakeIssuer, over: Readonly<Record<string, string>> = {}) {
  const request = await at.identity.authorizationRequest()
  if (!request.ok) return request
  const { transaction } = request.value
  at.nonce = transaction.nonce
  return at.identity.signIn(callbackOf(transaction, over), transaction)
}

const callbackOf = ({ state }: SignInTransaction, over: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ code: 'a-code', state, ...over })

const invalid = (reason: string) => ({
  ok: false as const,
  error: { kind: 'sign_in_invalid' as const, reason },
})
const clock = { ok: false as const, error: { kind: 'sign_in_clock' as const } }
const broken = (reason: string) => ({
  ok: false as const,
  error: { kind: 'identity_error' as const, reason },
})

describe('a sign-in', () => {
  test('asks with a new state, nonce and code challenge each time', async () => {
    await using at = await openFakeIssuer()
    const requests = await Promise.all(
      Array.from({ length: 20 }, () => at.identity.authorizationRequest()),
    )
    const said = requests.flatMap((request) => (request.ok ? [request.value] : []))
    const values = said.flatMap(({ transaction: { state, nonce, codeVerifier } }) => [
      state,
      nonce,
      codeVerifier,
    ])
    expect(new Set(values).size).toBe(60)
    for (const value of values) expect(value).toMatch(/^[\w-]{43}$/)
    for (const { url, transaction } of said) {
      const asked = new URL(url).searchParams
      expect(asked.get('state')).toBe(transaction.state)
      expect(asked.get('nonce')).toBe(transaction.nonce)
      const hash = new Bun.CryptoHasher('sha256').update(transaction.codeVerifier)
      expect(asked.get('code_challenge')).toBe(hash.digest('base64url'))
      expect(asked.get('code_challenge_method')).toBe('S256')
      expect(url).not.toContain(transaction.codeVerifier)
    }
  })

  test('sends the code with the verifier and the redirect URI of the settings', async () => {
    await using at = await openFakeIssuer()
    expect(await signIn(at)).toMatchObject({ ok: true, value: { sid: null } })
    expect(at.asked.map(({ form }) => form)).toStrictEqual([
      {
        grant_type: 'authorization_code',
        code: 'a-code',
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        redirect_uri: 'https://portal.example.org/api/v1/auth/callback',
      },
    ])
  })

  test('knows the session of the provider', async () => {
    await using at = await openFakeIssuer()
    at.idToken = () => at.sign({ nonce: at.nonce, sid: 's-1' })
    expect(await signIn(at)).toMatchObject({ value: { sid: 's-1' } })
  })
})

describe('SEC-O4 a callback is refused', () => {
  test.each([
    ['that the provider refused', { error: 'access_denied' }, 'access_denied'],
    ['with text in place of an error code', { error: CANARY }, 'unknown'],
    ['with an error and a code', { error: 'server_error', code: 'x' }, 'server_error'],
  ])('%s', async (_, over, error) => {
    await using at = await openFakeIssuer()
    const answer = await signIn(at, { error_description: CANARY, ...over })
    expect(answer).toStrictEqual({ ok: false, error: { kind: 'sign_in_refused', error } })
    expect(at.asked).toStrictEqual([])
  })

  test.each([
    ['of another issuer', { iss: 'https://other.example.org' }, 'other_issuer'],
    ['of another issuer, with an error', { iss: 'x', error: 'access_denied' }, 'other_issuer'],
    ['without a code', { code: '' }, 'no_code'],
    ['of the implicit flow', { id_token: 'x' }, 'OAUTH_UNSUPPORTED_OPERATION'],
    ['that is a token', { response: 'x' }, 'OAUTH_INVALID_RESPONSE'],
  ])('%s', async (_, over: Readonly<Record<string, string>>, reason) => {
    await using at = await openFakeIssuer()
    expect(await signIn(at, over)).toStrictEqual(invalid(reason))
    expect(at.asked).toStrictEqual([])
  })

  test('without the issuer, where the provider names itself', async () => {
    await using at = await openFakeIssuer()
    at.metadata = { authorization_response_iss_parameter_supported: true }
    expect(await signIn(at)).toStrictEqual(invalid('other_issuer'))
    expect(await signIn(at, { iss: at.issuer })).toMatchObject({ ok: true })
  })

  test('of a mixed-up provider: its code is sent nowhere', async () => {
    await using honest = await openFakeIssuer()
    await using evil = await openFakeIssuer()
    const { transaction } = valueOf(await honest.identity.authorizationRequest())
    const callback = callbackOf(transaction, { iss: evil.issuer })
    expect(await honest.identity.signIn(callback, transaction)).toStrictEqual(
      invalid('other_issuer'),
    )
    expect([honest.asked, evil.asked]).toStrictEqual([[], []])
  })
})

describe('SEC-O5 an ID token is refused', () => {
  const COMPARISON = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'

  test.each<[string, () => Claims, string]>([
    ['of another issuer', () => ({ iss: 'https://id.example.org' }), COMPARISON],
    ['for another client', () => ({ aud: 'other' }), COMPARISON],
    ['for another party', () => ({ aud: ['portico', 'other'], azp: 'other' }), COMPARISON],
    ['for a second audience', () => ({ aud: ['portico', 'b'], azp: 'portico' }), 'other_audiences'],
    ['of another party alone', () => ({ azp: 'other' }), 'other_audiences'],
    ['with another nonce', () => ({ nonce: 'other' }), COMPARISON],
    ['without a nonce', () => ({ nonce: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['without an end', () => ({ exp: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['without a beginning', () => ({ iat: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['of nobody', () => ({ sub: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['of somebody without a name', () => ({ sub: '' }), 'no_subject'],
  ])('%s', async (_, claims, reason) => {
    await using at = await openFakeIssuer()
    at.idToken = () => at.sign({ nonce: at.nonce, ...claims() })
    expect(await signIn(at)).toStrictEqual(invalid(reason))
  })

  test.each(FORGED)('%s', async (_, forge, reason) => {
    await using at = await openFakeIssuer()
    at.metadata = { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256'] }
    at.idToken = async () => forge(at, { nonce: at.nonce })
    expect(await signIn(at)).toStrictEqual(invalid(reason))
  })

  test('that is missing', async () => {
    await using at = await openFakeIssuer()
    at.tokens = { id_token: undefined }
    expect(await signIn(at)).toStrictEqual(invalid('OAUTH_INVALID_RESPONSE'))
  })

  test.each<[string, string | undefined, boolean]>([
    ['of a strong sign-in', 'phr', true],
    ['of the other strong sign-in', 'mfa', true],
    ['of a weak sign-in', 'pwd', false],
    ['that does not say how the person signed in', undefined, false],
  ])('%s, where the settings ask for a strong one', async (_, acr, isAccepted) => {
    await using at = await openFakeIssuer({ OIDC_ACR_VALUES: ['mfa', 'phr'] })
    at.idToken = () => at.sign({ nonce: at.nonce, acr })
    // The answer belongs to this sign-in: the person is told to sign in more strongly, and not that it was forged.
    const tooWeak = { kind: 'sign_in_refused', error: 'unmet_authentication_requirements' }
    expect(await signIn(at)).toMatchObject(isAccepted ? { ok: true } : { error: tooWeak })
  })

  test('is taken with a further audience of the settings', async () => {
    await using at = await openFakeIssuer({ OIDC_AUDIENCES: ['b'] })
    at.idToken = () => at.sign({ nonce: at.nonce, aud: ['portico', 'b'], azp: 'portico' })
    expect(await signIn(at)).toMatchObject({ ok: true })
    at.idToken = () => at.sign({ nonce: at.nonce, aud: ['portico', 'b', 'c'], azp: 'portico' })
    expect(await signIn(at)).toStrictEqual(invalid('other_audiences'))
  })
})

describe('SEC-O5 the clock decides', () => {
  const MINUTES = 60
  test.each<[string, () => Claims, unknown]>([
    ['an end that was', () => ({ exp: seconds() - 60 }), clock],
    ['an end within the tolerance', () => ({ exp: seconds() - 5 }), clock],
    ['an issue in the future', () => ({ iat: seconds() + 5 * MINUTES }), clock],
    ['a time that has not come', () => ({ nbf: seconds() + 5 * MINUTES }), clock],
    ['an issue a little ahead', () => ({ iat: seconds() + 20 }), { ok: true }],
  ])('%s', async (_, claims, answer) => {
    await using at = await openFakeIssuer()
    at.idToken = () => at.sign({ nonce: at.nonce, ...claims() })
    expect(await signIn(at)).toMatchObject(answer as object)
  })

  test.each([
    ['five minutes behind', -5 * MINUTES, clock],
    ['five minutes ahead, beyond the end of the token', 5 * MINUTES + 1, clock],
    ['twenty seconds behind', -20, { ok: true }],
    ['twenty seconds ahead', 20, { ok: true }],
  ])('our clock %s', async (_, off, answer) => {
    await using at = await openFakeIssuer({ clock: clockAhead(off * 1000) })
    at.idToken = () => at.sign({ nonce: at.nonce })
    expect(await signIn(at)).toMatchObject(answer)
  })
})

describe('SEC-O6 a provider that is out of order', () => {
  const html: Answer = () =>
    new Response(`<h1>${CANARY}</h1>`, { headers: { 'content-type': 'text/html' } })
  const half: Answer = () =>
    new Response('{"access_token":', { headers: { 'content-type': 'application/json' } })
  const error: Answer = () => new Response(CANARY, { status: 500 })

  test.each([
    [DISCOVERY, 'HTML', html, broken('OAUTH_RESPONSE_IS_NOT_JSON')],
    [DISCOVERY, 'half an answer', half, broken('OAUTH_PARSE_ERROR')],
    [DISCOVERY, '500', error, broken('http_500')],
    [TOKEN, 'HTML', html, broken('OAUTH_RESPONSE_IS_NOT_JSON')],
    [TOKEN, 'half an answer', half, broken('OAUTH_PARSE_ERROR')],
    [TOKEN, '500', error, broken('http_500')],
    [JWKS, 'HTML', html, broken('no_key_set')],
    [JWKS, 'half an answer', half, broken('no_key_set')],
    [JWKS, '500', error, broken('http_500')],
    [USERINFO, 'HTML', html, broken('OAUTH_RESPONSE_IS_NOT_JSON')],
    [USERINFO, 'half an answer', half, broken('OAUTH_PARSE_ERROR')],
    [USERINFO, '500', error, broken('http_500')],
  ])('%s answers with %s', async (path, _, answer, failure) => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    at.idToken = () => at.sign({ nonce: at.nonce })
    at.answers[path] = answer
    expect(await signIn(at)).toStrictEqual(failure)
    at.answers[path] = undefined
    expect(await signIn(at)).toMatchObject({ ok: true })
  })

  test.each([DISCOVERY, TOKEN, JWKS, USERINFO])('%s hangs', async (path) => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    expect(await at.late(path, () => signIn(at))).toStrictEqual({
      ok: false,
      error: { kind: 'identity_timeout' },
    })
  })

  test('a code that the provider does not know has been used or is over', async () => {
    await using at = await openFakeIssuer()
    at.answers[TOKEN] = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    expect(await signIn(at)).toStrictEqual({ ok: false, error: { kind: 'sign_in_expired' } })
    at.answers[TOKEN] = () => Response.json({ error: 'invalid_client' }, { status: 400 })
    expect(await signIn(at)).toStrictEqual(broken('invalid_client'))
  })
})

describe('large answers', () => {
  const names = Array.from({ length: 200 }, (_, index) => `group-${index}-${'x'.repeat(40)}`)

  test('200 groups and a token of 10 KB are read, and the token is no hint for signing out', async () => {
    await using at = await openFakeIssuer()
    at.metadata = { end_session_endpoint: `${at.issuer}/end` }
    at.idToken = () => at.sign({ nonce: at.nonce, groups: names })
    const signedIn = await signIn(at)
    expect(signedIn).toMatchObject({
      value: { principal: { groups: { kind: 'known', names } } },
    })
    if (!signedIn.ok) throw new Error('refused')
    const { idToken } = signedIn.value.tokens
    expect(idToken.length).toBeGreaterThan(10_000)
    // Providers and proxies refuse URLs of this length.
    expect(await at.identity.logoutUrl(idToken)).toStrictEqual({
      ok: true,
      value: `${at.issuer}/end?post_logout_redirect_uri=https%3A%2F%2Fportal.example.org%2F&client_id=portico`,
    })
  })
})

describe('groups of UserInfo', () => {
  const open = (settings: Partial<OidcSettings> = {}) =>
    openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo', ...settings })

  test('count, and those of the ID token do not; names come from there too', async () => {
    await using at = await open()
    at.idToken = () => at.sign({ nonce: at.nonce, groups: ['old'], name: 'A' })
    at.userInfo = { sub: 'ada', groups: ['payments'], name: 'Ada', email: 'ada@example.org' }
    expect(await signIn(at)).toMatchObject({
      value: {
        principal: {
          name: 'Ada',
          email: 'ada@example.org',
          groups: { kind: 'known', names: ['payments'] },
        },
      },
    })
    at.userInfo = { sub: 'ada', iss: 'https://evil.example.org' }
    expect(await signIn(at)).toMatchObject({
      value: { principal: { issuer: at.issuer, groups: { kind: 'unknown', reason: 'missing' } } },
    })
  })

  test('of another person are refused', async () => {
    await using at = await open()
    at.idToken = () => at.sign({ nonce: at.nonce })
    for (const sub of ['eve', undefined]) {
      at.userInfo = { sub, groups: ['platform-team'] }
      expect(await signIn(at)).toMatchObject({ ok: false, error: { kind: 'sign_in_invalid' } })
    }
  })
})

test('SEC-O4 no callback that anybody makes up reaches the provider', async () => {
  await using at = await openFakeIssuer()
  const transaction = { state: 'known-to-us-alone', nonce: 'n', codeVerifier: 'v'.repeat(43) }
  const name = fc.constantFrom('code', 'state', 'iss', 'error', 'response', 'id_token', 'token')
  const value = fc.oneof(fc.string(), fc.constant(at.issuer))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value)), async (query) => {
      const answer = await at.identity.signIn(new URLSearchParams(query), transaction)
      expect(answer.ok ? 'signed in' : answer.error.kind).toMatch(/^sign_in_(?:expired|invalid)$/)
    }),
    { numRuns: 1_000 },
  )
  expect(at.asked).toStrictEqual([])
})
