import { describe, expect, test } from 'bun:test'
import { readConfig } from '#src/config.ts'
import { openIdentityProvider } from '#src/lib/adapters/identity/index.ts'
import { installationVariables } from '#src/demo/settings.ts'
import { CLIENT_SECRET, openFakeIssuer, REFRESH_TOKEN } from './fake-issuer.ts'
import { tokensWith } from '#tests/contracts/identity.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const VALID = {
  PUBLIC_URL: 'https://portal.example.org',
  SESSION_KEYS: `k1:${KEY}`,
  SECRET_STORE_KEYS: `s1:${KEY}`,
  GITOPS_REPOSITORY: 'acme/gitops',
}
const ISSUER = 'https://id.example.org/realms/acme'
const read = (environment: Record<string, string>) =>
  readConfig({ OIDC_CLIENT_ID: 'portico', ...VALID, ...environment }, () => 'from-a-file\n')

function valueOf(environment: Record<string, string>) {
  const config = read(environment)
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  return config.value
}
const mistakesOf = (environment: Record<string, string>) => {
  const config = read(environment)
  return config.ok ? [] : config.error.map(({ variable, reason }) => `${variable} ${reason}`)
}

describe('configuration', () => {
  test('names no provider by default', () => {
    expect(valueOf({ OIDC_CLIENT_ID: '' })).toMatchObject({
      OIDC_ISSUER: null,
      OIDC_GROUPS_CLAIM: ['groups'],
    })
  })

  test.each([
    ISSUER,
    'https://id.example.org',
    'https://id.example.org/',
    'http://localhost:9000/realm',
    'http://127.0.0.1:9000',
    'http://127.9.9.9',
    'http://[::1]:9000',
  ])('takes the issuer %s', (issuer) => {
    expect(valueOf({ OIDC_ISSUER: issuer }).OIDC_ISSUER).toStrictEqual(new URL(issuer))
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

  test('of an issuer without a client is a mistake', () => {
    expect(mistakesOf({ OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: '' })).toStrictEqual([
      'OIDC_CLIENT_ID is missing beside OIDC_ISSUER',
    ])
  })

  test('takes the secret of the client from a file', () => {
    const config = valueOf({ OIDC_ISSUER: ISSUER, OIDC_CLIENT_SECRET_FILE: '/run/secret' })
    expect(config.OIDC_CLIENT_SECRET).toBe('from-a-file')
  })

  test.each([
    ['groups', ['groups']],
    ['realm_access.roles', ['realm_access', 'roles']],
    ['resource_access.my-app.roles', ['resource_access', 'my-app', 'roles']],
    ['cognito:groups', ['cognito:groups']],
    ['"https://example.org/groups"', ['https://example.org/groups']],
    ['a."b.c".d', ['a', 'b.c', 'd']],
  ])('reads the groups claim %s', (given, path) => {
    expect(valueOf({ OIDC_GROUPS_CLAIM: given }).OIDC_GROUPS_CLAIM).toStrictEqual(path)
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
  ])('refuses %s=%j', (variable, given) => {
    expect(mistakesOf({ [variable]: given })).toHaveLength(1)
  })

  test('of a provider keeps the demo from starting', () => {
    const names = [
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_CLIENT_SECRET_FILE',
      'OIDC_GROUPS_CLAIM',
      'OIDC_ISSUER',
    ]
    const environment = Object.fromEntries(names.map((name) => [name, 'x']))
    expect(installationVariables(environment)).toStrictEqual(names)
  })
})

describe('the provider that is opened', () => {
  test('is none without settings: its calls fail', async () => {
    const identity = await openIdentityProvider(null)
    const failure = {
      ok: false as const,
      error: { kind: 'identity_error' as const, reason: 'no identity provider is set up' },
    }
    expect(await identity.renew(tokensWith('x'))).toStrictEqual(failure)
    expect(await identity.exchange('x', 'y')).toStrictEqual(failure)
  })

  test('is that of the settings', async () => {
    await using at = await openFakeIssuer()
    const config = valueOf({ OIDC_ISSUER: at.issuer, OIDC_CLIENT_SECRET: CLIENT_SECRET })
    if (config.OIDC_ISSUER === null) throw new Error('no issuer')
    const identity = await openIdentityProvider({
      issuer: config.OIDC_ISSUER,
      clientId: config.OIDC_CLIENT_ID,
      clientSecret: config.OIDC_CLIENT_SECRET,
      groupsClaim: config.OIDC_GROUPS_CLAIM,
      publicUrl: config.PUBLIC_URL,
      clock: { now: () => Date.now() },
    })
    expect(await identity.renew(tokensWith(REFRESH_TOKEN))).toMatchObject({ ok: true })
  })
})
