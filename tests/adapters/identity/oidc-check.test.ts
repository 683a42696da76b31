import { describe, expect, test } from 'bun:test'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import { CLIENT, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { freePort } from '#tests/support/free-port.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'

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
      { ok: true, text: 'The clocks agree.' },
      {
        ok: true,
        text: 'Whether https://portal.example.org/api/v1/auth/callback is registered as redirect URI cannot be tried: compare it at the provider.',
      },
    ])
  })

  test.each<[string, Settings]>([
    ['a wrong secret', { clientSecret: 'hunter2' }],
    ['a client that it does not know', { clientId: 'somebody-else' }],
  ])('refuses %s', async (_, settings) => {
    await using peer = await startOidcPeer()
    const id = settings?.clientId ?? CLIENT.id
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

  test('a clock that is off', async () => {
    await using peer = await startOidcPeer()
    const clock = { now: () => Date.now() + 5 * 60_000 }
    expect(await failuresOf(peer.issuer, { clock })).toStrictEqual([
      expect.stringMatching(
        /^Our clock is (?:299|300|301) s ahead of the provider's: sign-ins fail beyond 30 s\.$/,
      ),
    ])
  })

  test('a provider that hangs, and one that answers HTML', async () => {
    await using peer = await startOidcPeer()
    await peer.fail(503)
    expect(await failuresOf(peer.issuer)).toStrictEqual([
      expect.stringMatching(/^The discovery document of .*: the answer cannot be used \(/),
    ])
    await peer.hang()
    expect(await failuresOf(peer.issuer, { deadlineMs: 200 })).toStrictEqual([
      expect.stringMatching(
        /^The discovery document of .*: the provider did not answer in time\.$/,
      ),
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
