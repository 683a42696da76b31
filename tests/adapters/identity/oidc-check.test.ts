import { describe, expect, test } from 'bun:test'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import { CLIENT, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { expired, makeAuthority } from '#tests/support/certificates.ts'
import { freePort } from '#tests/support/free-port.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import { CANARY, JWKS, openFakeIssuer, TOKEN } from './fake-issuer.ts'

type Settings = Parameters<typeof oidcSettings>[1]

const check = (issuer: string, settings: Settings = {}) =>
  createOidcIdentityProvider(oidcSettings(issuer, settings)).check()

const failuresOf = async (issuer: string, settings: Settings = {}) =>
  (await check(issuer, settings)).filter(({ ok }) => !ok).map(({ text }) => text)

describe('checking a certified provider', () => {
  test('says what works, and what only a sign-in shows', async () => {
    await using peer = await startOidcPeer()
    expect(await check(peer.issuer)).toStrictEqual([
      { ok: true, text: `${peer.issuer} is an OpenID Connect provider.` },
      { ok: true, text: 'The provider publishes 1 signing key.' },
      { ok: true, text: `The provider accepts the client ${CLIENT.id} (client_secret_basic).` },
      {
        ok: true,
        text: 'Whether https://portal.example.org/api/v1/auth/callback is registered as redirect URI cannot be tried: compare it at the provider.',
      },
    ])
  })

  test.each<[string, Settings]>([
    ['a wrong secret', { OIDC_CLIENT_SECRET: 'hunter2' }],
    ['a client that it does not know', { OIDC_CLIENT_ID: 'somebody-else' }],
  ])('refuses %s', async (_, settings) => {
    await using peer = await startOidcPeer()
    const id = settings?.OIDC_CLIENT_ID ?? CLIENT.id
    expect(await failuresOf(peer.issuer, settings)).toStrictEqual([
      `The provider refuses the client ${id} (client_secret_basic): check OIDC_CLIENT_ID, its secret or key, and OIDC_CLIENT_AUTH.`,
    ])
  })

  test('another issuer than the document names', async () => {
    await using peer = await startOidcPeer()
    const alias = peer.issuer.replace('127.0.0.1', 'localhost')
    expect(await failuresOf(alias)).toStrictEqual([
      `The discovery document of ${alias}: the document names another issuer; OIDC_ISSUER must be its \`issuer\`, letter for letter.`,
    ])
  })

  test('a provider that hangs, and one that answers HTML', async () => {
    await using peer = await startOidcPeer()
    await peer.fail(503)
    expect(await failuresOf(peer.issuer)).toStrictEqual([
      `The discovery document of ${peer.issuer}: the provider answers 503; its log may say why.`,
    ])
    await peer.hang()
    expect(await failuresOf(peer.issuer, { deadlineMs: 200 })).toStrictEqual([
      expect.stringMatching(
        /^The discovery document of .*: the provider did not answer in time\.$/,
      ),
    ])
  })

  test('an issuer without its path, or with another scheme', async () => {
    await using peer = await startOidcPeer()
    const elsewhere = `${peer.issuer}/realms/acme`
    expect(await failuresOf(elsewhere)).toStrictEqual([
      `The discovery document of ${elsewhere}: there is nothing at that address (404); check OIDC_ISSUER, its path included.`,
    ])
    const overTls = peer.issuer.replace('http:', 'https:')
    expect(await failuresOf(overTls)).toStrictEqual([
      `The discovery document of ${overTls}: the provider does not speak TLS there; check scheme and port.`,
    ])
  })

  test('a provider that is not there', async () => {
    expect(await failuresOf(`http://127.0.0.1:${freePort()}`)).toStrictEqual([
      expect.stringMatching(
        /^The discovery document of .*: the provider cannot be reached; check the URL, DNS and the network\.$/,
      ),
    ])
  })
})

describe('checking a provider with faults', () => {
  const brokenOf = async ({ identity }: Awaited<ReturnType<typeof openFakeIssuer>>) =>
    (await identity.check()).filter(({ ok }) => !ok).map(({ text }) => text)

  test('names what is missing', async () => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_FROM: 'userinfo' })
    at.metadata = { userinfo_endpoint: undefined, authorization_endpoint: undefined }
    at.answers[JWKS] = () => Response.json({ keys: [] })
    at.answers[TOKEN] = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    expect(await brokenOf(at)).toStrictEqual([
      'The provider publishes no signing keys: nobody can sign in.',
      'The provider has no authorization endpoint: nobody can sign in.',
      'OIDC_GROUPS_FROM is userinfo, and the provider has no UserInfo endpoint.',
    ])
  })

  test('names the endpoints that fail, all at once and without their answers', async () => {
    await using at = await openFakeIssuer()
    at.answers[JWKS] = () => new Response(CANARY, { status: 500 })
    at.answers[TOKEN] = () => new Response(`<h1>${CANARY}</h1>`, { status: 502 })
    expect(await brokenOf(at)).toStrictEqual([
      'The signing keys: the provider answers 500; its log may say why.',
      'The token endpoint: the provider answers 502; its log may say why.',
    ])
  })

  test('says that it does not know about a client whose code was malformed, as for Zitadel', async () => {
    await using at = await openFakeIssuer()
    at.answers[TOKEN] = () => Response.json({ error: 'invalid_request' }, { status: 400 })
    expect(await at.identity.check()).toContainEqual({
      ok: true,
      text: 'Whether the provider accepts the client portico (client_secret_basic) only a sign-in shows: it does not look at a made-up code.',
    })
  })

  test('says that it accepts any code', async () => {
    await using at = await openFakeIssuer()
    at.tokens = { id_token: undefined }
    expect(await brokenOf(at)).toStrictEqual(['The provider accepts a code that it never issued.'])
  })

  test.each([
    [
      undefined,
      'is not signed by a trusted authority: OIDC_CA_FILE must name the one that signed it',
    ],
    [expired(), 'has expired'],
  ])('says what is wrong with its certificate', async (validity, fault) => {
    const authority = await makeAuthority()
    const tls = await authority.issue(undefined, validity)
    await using peer = await startOidcPeer({ tls })
    const authorities = validity === undefined ? null : authority.pem
    const files = () => ({ authorities, groupNames: new Map() })
    expect(await failuresOf(peer.issuer, { files })).toStrictEqual([
      `The discovery document of ${peer.issuer}: the certificate ${fault}.`,
    ])
  })
})
