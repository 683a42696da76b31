import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { readConfig } from '#src/config/config.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { installationVariables } from '#src/demo/settings.ts'
import { CLIENT_ID, openFakeIssuer, REFRESH_TOKEN } from './fake-issuer.ts'
import { tokensWith } from '#tests/contracts/identity.ts'
import { valueOf } from '#tests/support/value-of.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const VALID = {
  PUBLIC_URL: 'https://portal.example.org',
  SESSION_KEYS: `k1:${KEY}`,
  SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 2).toString('base64')}`,
  GITOPS_REPOSITORY: 'acme/gitops',
}
const ISSUER = 'https://id.example.org/realms/acme'
const OIDC = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'portico' }
const read = (environment: Record<string, string>, file = 'from-a-file\n') =>
  readConfig({ ...VALID, ...environment }, () => file)

const mistakesOf = (environment: Record<string, string>) => {
  const config = read({ ...OIDC, ...environment })
  return config.ok ? [] : config.error.map(({ variable, reason }) => `${variable} ${reason}`)
}

/** Opens the provider that the environment chooses, and answers what the log was told. */
async function opened(environment: Record<string, string>, file?: string) {
  const config = valueOf(read(environment, file))
  const told: string[] = []
  const tell = (...args: unknown[]) => void told.push(String(args.at(-1)))
  const outcome = await config.openIdentity({
    publicUrl: config.PUBLIC_URL,
    clock: systemClock,
    log: { info: tell, warn: tell, error: tell } as never,
    signal: AbortSignal.abort(),
  })
  return { outcome, told }
}

function pem(type: 'rsa' | 'ec' | 'ed25519', options: object = {}): string {
  const { privateKey } = generateKeyPairSync(type as never, options as never) as unknown as {
    privateKey: { export(as: object): string }
  }
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).trim()
}

describe('configuration', () => {
  test.each([
    ISSUER,
    'https://id.example.org',
    'https://id.example.org/',
    'http://localhost:9000/realm',
    'http://127.0.0.1:9000',
    'http://127.9.9.9',
    'http://[::1]:9000',
  ])('takes the issuer %s', (issuer) => {
    expect(mistakesOf({ OIDC_ISSUER: issuer })).toStrictEqual([])
  })

  test.each([
    'id.example.org',
    'ftp://id.example.org',
    'http://id.example.org',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    'http://10.0.0.1',
    'https://user:secret@id.example.org',
    'https://id.example.org?tenant=a',
    'https://id.example.org/#a',
    `${ISSUER}/.well-known/openid-configuration`,
  ])('refuses the issuer %s', (issuer) => {
    expect(mistakesOf({ OIDC_ISSUER: issuer })).toStrictEqual([
      expect.stringMatching(/^OIDC_ISSUER must be an https URL/),
    ])
  })

  test.each([
    ['without a client', { OIDC_CLIENT_ID: undefined }, 'OIDC_CLIENT_ID is missing'],
    [
      'with authentication by a secret, and without one',
      { OIDC_CLIENT_AUTH: 'client_secret_post' },
      'OIDC_CLIENT_SECRET is missing beside OIDC_CLIENT_AUTH=client_secret_post',
    ],
    [
      'with authentication by a key, and without one',
      { OIDC_CLIENT_AUTH: 'private_key_jwt', OIDC_CLIENT_SECRET: 'x' },
      'OIDC_CLIENT_KEY is missing beside OIDC_CLIENT_AUTH=private_key_jwt',
    ],
  ])('refuses an issuer %s', (_, environment, mistake) => {
    expect(mistakesOf(environment as Record<string, string>)).toStrictEqual([mistake])
  })

  test('reads the settings of the provider only beside an issuer', () => {
    const broken = { OIDC_CLIENT_ID: 'two words', OIDC_SCOPES: 'profile' }
    expect(read(broken).ok).toBe(true)
    expect(mistakesOf(broken)).toHaveLength(2)
  })

  test.each([
    'groups',
    'realm_access.roles',
    'resource_access.my-app.roles',
    'cognito:groups',
    '"https://example.org/groups"',
    'a."b.c".d',
  ])('takes the groups claim %s', (given) => {
    expect(mistakesOf({ OIDC_GROUPS_CLAIM: given })).toStrictEqual([])
  })

  test.each(['', '.', 'a.', '.a', 'a..b', '"a', 'a"b"', '""', 'https://example.org/groups', 'a b'])(
    'refuses the groups claim %j',
    (given) => {
      expect(mistakesOf({ OIDC_GROUPS_CLAIM: given })).toStrictEqual([
        expect.stringMatching(/^OIDC_GROUPS_CLAIM must be/),
      ])
    },
  )

  test.each([
    ['OIDC_CLIENT_ID', 'two words'],
    ['OIDC_CLIENT_ID', 'x'.repeat(257)],
    ['OIDC_CLIENT_SECRET', 'two\nlines'],
    ['OIDC_CLIENT_SECRET', 'x'.repeat(1025)],
    ['OIDC_CLIENT_AUTH', 'tls_client_auth'],
    ['OIDC_CLIENT_KEY', 'not a key'],
    ['OIDC_CLIENT_KEY', pem('rsa', { modulusLength: 1024 })],
    ['OIDC_CLIENT_KEY', pem('ec', { namedCurve: 'P-224' })],
    ['OIDC_CLIENT_KEY', pem('ed25519')],
    ['OIDC_CLIENT_KEY_ID', 'two words'],
    ['OIDC_CA_FILE', 'ca.pem'],
    ['OIDC_SCOPES', 'profile email'],
    ['OIDC_SCOPES', 'openid "x"'],
    ['OIDC_PROMPT', 'none'],
    ['OIDC_PROMPT', 'login,consent'],
    ['OIDC_PROMPT', 'loginconsent'],
    ['OIDC_AUDIENCES', 'two words'],
    ['OIDC_GROUPS_FIELD', 'a b'],
    ['OIDC_GROUPS_FROM', 'access_token'],
    ['GROUPS_FILE', './groups.yaml'],
  ])('refuses %s=%j', (variable, given) => {
    expect(mistakesOf({ [variable]: given })).toHaveLength(1)
  })

  test.each([
    ['OIDC_CLIENT_KEY', pem('rsa', { modulusLength: 2048 })],
    ['OIDC_CLIENT_KEY', pem('ec', { namedCurve: 'P-256' })],
    ['OIDC_CLIENT_KEY', pem('ec', { namedCurve: 'P-521' })],
    ['OIDC_SCOPES', 'openid profile offline_access https://example.org/groups'],
    ['OIDC_PROMPT', 'login consent'],
    ['OIDC_PROMPT', 'select_account'],
    ['OIDC_ACR_VALUES', 'urn:acme:mfa urn:acme:phr'],
    ['OIDC_AUDIENCES', 'https://a.example.org, b'],
  ])('takes %s=%j', (variable, given) => {
    expect(mistakesOf({ [variable]: given })).toStrictEqual([])
  })

  test('of a provider keeps the demo from starting', () => {
    const names = [
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_CLIENT_SECRET_FILE',
      'OIDC_GROUPS_CLAIM',
      'OIDC_ISSUER',
    ]
    // Not of this prefix, and of a real installation all the same.
    expect(installationVariables({ GROUPS_FILE: '/groups.yaml' })).toStrictEqual(['GROUPS_FILE'])
    const environment = Object.fromEntries(names.map((name) => [name, 'x']))
    expect(installationVariables(environment)).toStrictEqual(names)
  })
})

describe('the provider that is opened', () => {
  test('is none without settings: its calls fail, and the log says that nobody can sign in', async () => {
    const { outcome, told } = await opened({})
    if (!outcome.ok) throw new Error(outcome.error)
    const identity = outcome.value
    expect(told).toStrictEqual(['OIDC_ISSUER is not set: nobody can sign in'])
    const failure = {
      ok: false as const,
      error: { kind: 'identity_not_configured' as const },
    }
    expect(await identity.authorizationRequest()).toStrictEqual(failure)
    const transaction = { state: 's', nonce: 'n', codeVerifier: 'v' }
    expect(await identity.signIn(new URLSearchParams(), transaction)).toStrictEqual(failure)
    expect(await identity.renew(tokensWith('x'))).toStrictEqual(failure)
    expect(await identity.exchange('x', 'y')).toStrictEqual(failure)
    expect(await identity.readLogoutToken('x')).toStrictEqual(failure)
    expect(await identity.logoutUrl('x')).toStrictEqual({ ok: true, value: null })
    expect(await identity.revoke('x')).toStrictEqual({ ok: true, value: undefined })
    expect(await identity.check()).toMatchObject([{ ok: false }])
  })

  test('is that of the settings', async () => {
    await using at = await openFakeIssuer()
    const { outcome, told } = await opened({
      OIDC_ISSUER: at.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET_FILE: '/run/secret',
      OIDC_SCOPES: 'openid groups',
      OIDC_PROMPT: 'login',
      OIDC_ACR_VALUES: 'mfa phr',
      OIDC_AUDIENCES: 'a,b',
    })
    if (!outcome.ok) throw new Error(outcome.error)
    expect(told).toStrictEqual([])
    const request = valueOf(await outcome.value.authorizationRequest())
    const asked = new URL(request.url).searchParams
    expect(
      [...asked].filter(([name]) => !/^(?:state|nonce|code_challenge)$/.test(name)),
    ).toStrictEqual([
      ['redirect_uri', 'https://portal.example.org/api/v1/auth/callback'],
      ['scope', 'openid groups'],
      ['code_challenge_method', 'S256'],
      ['prompt', 'login'],
      ['acr_values', 'mfa phr'],
      ['audience', 'a'],
      ['audience', 'b'],
      ['client_id', CLIENT_ID],
      ['response_type', 'code'],
    ])
    const ofGrant = await outcome.value.authorizationRequest('grant')
    const { searchParams } = new URL(ofGrant.ok ? ofGrant.value.url : '')
    expect(searchParams.get('scope')).toBe('openid groups offline_access')
    expect(searchParams.get('prompt')).toBe('login consent')
    expect(await outcome.value.renew(tokensWith(REFRESH_TOKEN))).toMatchObject({ ok: true })
    expect(at.asked).toMatchObject([{ authorization: `Basic ${btoa('portico:from-a-file')}` }])
  })

  test.each([
    ['OIDC_CA_FILE', 'OIDC_CA_FILE: /no/such/file cannot be read (ENOENT)'],
    ['GROUPS_FILE', 'GROUPS_FILE: /no/such/file cannot be read (ENOENT)'],
  ])('is not opened with a broken %s', async (variable, error) => {
    const { outcome } = await opened({ ...OIDC, [variable]: '/no/such/file' })
    expect(outcome).toStrictEqual({ ok: false, error })
  })
})
