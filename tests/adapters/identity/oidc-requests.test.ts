import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { clientKey } from '#src/lib/adapters/identity/oidc/client-key.ts'
import {
  ACCESS_TOKEN,
  CLIENT_ID,
  CLIENT_SECRET,
  failed,
  openFakeIssuer,
  PROD,
  REFRESH_TOKEN,
  seconds,
  clockAhead,
} from './fake-issuer.ts'
import { valueOf } from '#tests/support/value-of.ts'

const BASIC = `Basic ${btoa(`${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET)}`)}`

test('a refresh asks for what the person agreed to, no more', async () => {
  await using at = await openFakeIssuer()
  await at.refresh()
  expect(at.asked).toStrictEqual([
    {
      form: { grant_type: 'refresh_token', refresh_token: REFRESH_TOKEN },
      authorization: BASIC,
    },
  ])
})

test('an exchange asks as RFC 8693 has it, for one audience', async () => {
  await using at = await openFakeIssuer()
  await at.exchange()
  expect(at.asked).toStrictEqual([
    {
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: ACCESS_TOKEN,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        audience: PROD,
      },
      authorization: BASIC,
    },
  ])
})

test('the secret is in the form for a provider that wants it there', async () => {
  await using at = await openFakeIssuer()
  at.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
  await at.refresh()
  expect(at.asked).toMatchObject([
    { form: { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }, authorization: null },
  ])
})

test('the secret is in the header for a provider that takes either', async () => {
  await using at = await openFakeIssuer()
  at.metadata = {
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  }
  await at.refresh()
  expect(at.asked).toMatchObject([{ authorization: BASIC }])
})

test('the header escapes only what form encoding has to: Authentik and GitLab decode nothing', async () => {
  await using at = await openFakeIssuer({
    OIDC_CLIENT_ID: 'portico-prod.example~1_a',
    OIDC_CLIENT_SECRET: 'gloas-0f~_.8 :/+%=é',
  })
  await at.refresh()
  const sent = atob((at.asked[0]?.authorization ?? '').replace('Basic ', ''))
  expect(sent).toBe('portico-prod.example~1_a:gloas-0f~_.8+%3A%2F%2B%25%3D%C3%A9')
  expect([...new URLSearchParams(sent.replace(':', '='))]).toStrictEqual([
    ['portico-prod.example~1_a', 'gloas-0f~_.8 :/+%=é'],
  ])
})

test('a public client says who it is', async () => {
  await using at = await openFakeIssuer({ OIDC_CLIENT_SECRET: '' })
  await at.refresh()
  expect(at.asked).toStrictEqual([
    {
      form: { grant_type: 'refresh_token', refresh_token: REFRESH_TOKEN, client_id: CLIENT_ID },
      authorization: null,
    },
  ])
})

test('the secret is sent as the settings say, whatever the provider offers', async () => {
  for (const clientAuthentication of ['client_secret_post', 'client_secret_basic'] as const) {
    await using at = await openFakeIssuer({ OIDC_CLIENT_AUTH: clientAuthentication })
    at.metadata = {
      token_endpoint_auth_methods_supported: [
        clientAuthentication === 'client_secret_post'
          ? 'client_secret_basic'
          : 'client_secret_post',
      ],
    }
    await at.refresh()
    const isPost = clientAuthentication === 'client_secret_post'
    expect(at.asked[0]?.form['client_secret']).toBe(isPost ? CLIENT_SECRET : undefined)
    expect(at.asked[0]?.authorization).toBe(isPost ? null : BASIC)
  }
})

test('without authentication the secret stays here', async () => {
  await using at = await openFakeIssuer({ OIDC_CLIENT_AUTH: 'none' })
  await at.refresh()
  expect(JSON.stringify(at.asked)).not.toContain(CLIENT_SECRET)
})

describe('a client with a key', () => {
  function newKey(type: 'ec' | 'rsa') {
    const pair =
      type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-384' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = clientKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).trim())
    if (!key.ok) throw new Error(key.error)
    return { clientKey: key.value, publicKey: pair.publicKey }
  }

  test('signs a new assertion for each request, by our clock, and sends no secret', async () => {
    const { clientKey, publicKey } = newKey('ec')
    const clock = clockAhead(20_000)
    await using at = await openFakeIssuer({
      OIDC_CLIENT_KEY: clientKey,
      OIDC_CLIENT_KEY_ID: 'c1',
      clock,
    })
    const begun = seconds()
    await at.refresh()
    await at.exchange()
    const [one = '', other = ''] = at.asked.map(({ form }) => form['client_assertion'] ?? '')
    expect(decodeProtectedHeader(one)).toStrictEqual({ alg: 'ES384', kid: 'c1' })
    const { payload } = await jwtVerify(one, publicKey, {
      issuer: CLIENT_ID,
      subject: CLIENT_ID,
      audience: at.issuer,
      currentDate: new Date(clock.now()),
    })
    expect(payload.iat).toBeWithin(begun + 20, seconds() + 21)
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
    expect(decodeJwt(other).jti).not.toBe(payload.jti)
    expect(at.asked).toMatchObject([
      {
        form: {
          client_id: CLIENT_ID,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        },
        authorization: null,
      },
      { authorization: null },
    ])
    expect(JSON.stringify(at.asked)).not.toContain(CLIENT_SECRET)
  })

  test.each([
    [undefined, 'RS256'],
    [['RS256', 'PS256'], 'RS256'],
    [['ES256', 'PS256'], 'PS256'],
  ])('signs with what the provider accepts: %j', async (offered, alg) => {
    const { clientKey, publicKey } = newKey('rsa')
    await using at = await openFakeIssuer({ OIDC_CLIENT_KEY: clientKey })
    at.metadata = { token_endpoint_auth_signing_alg_values_supported: offered }
    await at.refresh()
    const assertion = at.asked[0]?.form['client_assertion'] ?? ''
    expect(decodeProtectedHeader(assertion)).toStrictEqual({ alg })
    expect(await jwtVerify(assertion, publicKey)).toBeDefined()
  })

  test('fails where the provider accepts no algorithm of it', async () => {
    await using at = await openFakeIssuer({ OIDC_CLIENT_KEY: newKey('ec').clientKey })
    at.metadata = { token_endpoint_auth_signing_alg_values_supported: ['HS256', 'RS256'] }
    expect(await at.refresh()).toStrictEqual(failed('no_common_algorithm'))
    expect(at.asked).toStrictEqual([])
  })
})

describe('the request for a grant', () => {
  test.each([
    ['that lists no scopes', undefined, 'openid profile email offline_access', 'consent'],
    [
      'that lists the scope',
      ['openid', 'offline_access'],
      'openid profile email offline_access',
      'consent',
    ],
    // Google, GitLab and Cognito answer `invalid_scope` for one that they do not list.
    ['that does not list it', ['openid', 'email', 'profile'], 'openid profile email', null],
  ])('at a provider %s', async (_, offered, scope, prompt) => {
    await using at = await openFakeIssuer({ OIDC_SCOPES: ['openid', 'profile', 'email'] })
    at.metadata = { scopes_supported: offered }
    const request = valueOf(await at.identity.authorizationRequest('grant'))
    const { searchParams } = new URL(request.url)
    expect(searchParams.get('scope')).toBe(scope)
    expect(searchParams.get('prompt')).toBe(prompt)
  })
})

describe('a revocation', () => {
  const done = { ok: true as const, value: undefined }

  test('names the token and its type (RFC 7009)', async () => {
    await using at = await openFakeIssuer()
    at.metadata = { revocation_endpoint: `${at.issuer}/revoke` }
    at.answers['/revoke'] = async (request) => {
      at.asked.push({
        form: Object.fromEntries(new URLSearchParams(await request.text())),
        authorization: request.headers.get('authorization'),
      })
      return new Response()
    }
    expect(await at.identity.revoke(REFRESH_TOKEN)).toStrictEqual(done)
    expect(at.asked).toStrictEqual([
      { form: { token: REFRESH_TOKEN, token_type_hint: 'refresh_token' }, authorization: BASIC },
    ])
    at.answers['/revoke'] = () => new Response('', { status: 503 })
    expect(await at.identity.revoke(REFRESH_TOKEN)).toStrictEqual(failed('http_503'))
  })

  test('is nothing to do at a provider without it', async () => {
    await using at = await openFakeIssuer()
    expect(await at.identity.revoke(REFRESH_TOKEN)).toStrictEqual(done)
    expect(at.asked).toStrictEqual([])
  })
})

describe('pages of the provider', () => {
  test('are not those of another machine without TLS', async () => {
    await using at = await openFakeIssuer()
    at.metadata = {
      authorization_endpoint: 'http://id.example.org/authorize',
      end_session_endpoint: 'http://id.example.org/end',
    }
    expect(await at.identity.authorizationRequest()).toStrictEqual(failed('insecure_url'))
    expect(await at.identity.logoutUrl('x')).toStrictEqual(failed('insecure_url'))
  })

  test('are not scripts', async () => {
    await using at = await openFakeIssuer()
    at.metadata = {
      authorization_endpoint: 'javascript:alert(1)',
      end_session_endpoint: 'javascript:alert(1)',
    }
    expect(await at.identity.authorizationRequest()).toMatchObject({ ok: false })
    expect(await at.identity.logoutUrl('x')).toMatchObject({ ok: false })
  })

  test('keep the parameters that they have', async () => {
    await using at = await openFakeIssuer()
    at.metadata = { authorization_endpoint: `${at.issuer}/authorize?p=B2C_1` }
    const request = await at.identity.authorizationRequest()
    expect(request.ok && request.value.url).toStartWith(`${at.issuer}/authorize?p=B2C_1&`)
  })

  test('to sign out at are none where the provider has none', async () => {
    await using at = await openFakeIssuer()
    expect(await at.identity.logoutUrl('x')).toStrictEqual({ ok: true, value: null })
  })
})
