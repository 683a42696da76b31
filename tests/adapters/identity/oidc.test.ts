import { describe, expect, test } from 'bun:test'
import { identityContract, rejected, tokensWith } from '#tests/contracts/identity.ts'
import { adaAt, openOidc } from './open-oidc.ts'

identityContract('oidc', openOidc)

describe('oidc, with a provider that rotates refresh tokens', () => {
  test('tells who the person is by the claims of the ID token', async () => {
    await using at = await openOidc()
    const { principal } = await at.signIn()
    expect(principal).toStrictEqual(adaAt(at.issuer))
  })

  test('a refresh token that is used again ends those that came of it', async () => {
    await using at = await openOidc()
    const first = await at.newRefreshToken()
    const second = await at.identity.renew(tokensWith(first))
    if (!second.ok) throw new Error(second.error.kind)
    const { accessToken, refreshToken } = second.value.tokens
    expect(await at.identity.renew(tokensWith(first))).toStrictEqual(rejected)
    expect(await at.identity.renew(tokensWith(refreshToken ?? ''))).toStrictEqual(rejected)
    expect(await at.identity.exchange(accessToken, 'urn:cluster:prod')).toStrictEqual(rejected)
  })

  test('the sign-ins of one person do not end each other', async () => {
    await using at = await openOidc()
    const [one, other] = await Promise.all([at.newRefreshToken(), at.newRefreshToken()])
    await at.identity.renew(tokensWith(one))
    await at.identity.renew(tokensWith(one))
    expect(await at.identity.renew(tokensWith(other))).toMatchObject({ ok: true })
  })
})
