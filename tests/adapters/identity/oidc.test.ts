import { describe, expect, test } from 'bun:test'
import { identityContract, rejected, tokensWith } from '#tests/contracts/identity.ts'
import { spawnOidcPeer } from '#tests/peers/oidc-provider.ts'
import { adaAt, openOidc } from './open-oidc.ts'

identityContract('oidc', openOidc)
identityContract('oidc, with the provider in another process', () =>
  openOidc({ start: spawnOidcPeer }),
)

describe('oidc, with a provider that rotates refresh tokens', () => {
  test('tells who the person is by the claims of the ID token', async () => {
    await using at = await openOidc()
    const { principal } = await at.signIn()
    expect(principal).toStrictEqual(adaAt(at.peer.issuer))
  })

  test('a refresh token that is used again ends those that came of it', async () => {
    await using at = await openOidc()
    const first = (await at.signIn()).tokens.refreshToken
    const second = await at.identity.renew(tokensWith(first))
    if (!second.ok) throw new Error(second.error.kind)
    const { accessToken, refreshToken } = second.value.tokens
    expect(await at.identity.renew(tokensWith(first))).toStrictEqual(rejected)
    expect(await at.identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
    expect(await at.identity.exchange(accessToken, 'urn:cluster:prod')).toStrictEqual(rejected)
  })

  test('the sign-ins of one person do not end each other', async () => {
    await using at = await openOidc()
    const signIns = await Promise.all([at.signIn(), at.signIn()])
    const [one = null, other = null] = signIns.map(({ tokens }) => tokens.refreshToken)
    await at.identity.renew(tokensWith(one))
    await at.identity.renew(tokensWith(one))
    expect(await at.identity.renew(tokensWith(other))).toMatchObject({ ok: true })
  })
})
