import { describe, expect, test } from 'bun:test'
import {
  failed,
  type FakeIssuer,
  openFakeIssuer,
  REFRESH_TOKEN,
  seconds,
  clockAhead,
} from './fake-issuer.ts'

describe('a token is taken', () => {
  test('whose issuer has a clock that is a little ahead', async () => {
    await using at = await openFakeIssuer()
    const ahead = { nbf: seconds() + 20, iat: seconds() + 20 }
    at.idToken = () => at.sign(ahead)
    at.exchanged = (audience) => at.sign({ aud: audience, ...ahead })
    expect(await at.refresh()).toMatchObject({ ok: true })
    expect(await at.exchange()).toMatchObject({ ok: true })
  })

  test('whose issuer has one that is thirty seconds ahead, and no more', async () => {
    const now = seconds()
    await using at = await openFakeIssuer({ clock: { now: () => now * 1000 } })
    at.exchanged = (audience) => at.sign({ aud: audience, nbf: now + 30 })
    expect(await at.exchange()).toMatchObject({ ok: true })
    at.exchanged = (audience) => at.sign({ aud: audience, nbf: now + 31 })
    expect(await at.exchange()).toStrictEqual(failed('ERR_JWT_CLAIM_VALIDATION_FAILED'))
  })

  test('for one audience in a list', async () => {
    await using at = await openFakeIssuer()
    at.exchanged = (audience) => at.sign({ aud: [audience] })
    expect(await at.exchange()).toMatchObject({ ok: true })
  })
})

describe('the end of a token', () => {
  const NOW = seconds() * 1000
  const open = () => openFakeIssuer({ clock: { now: () => NOW } })
  const endsOf = async (at: FakeIssuer) => {
    const refreshed = await at.refresh()
    if (!refreshed.ok) throw new Error(JSON.stringify(refreshed.error))
    const { idTokenExpiresAt, expiresAt } = refreshed.value.tokens
    return { idTokenExpiresAt, expiresAt }
  }

  test('is told for each: one of its claims, the other of the answer', async () => {
    await using at = await open()
    at.idToken = () => at.sign({ exp: NOW / 1000 + 120 })
    at.tokens = { expires_in: 60 }
    expect(await endsOf(at)).toStrictEqual({
      idTokenExpiresAt: NOW + 120_000,
      expiresAt: NOW + 60_000,
    })
  })

  test('is that of the ID token when the answer does not say', async () => {
    await using at = await open()
    at.idToken = () => at.sign({ exp: NOW / 1000 + 120 })
    at.tokens = { expires_in: undefined }
    expect(await endsOf(at)).toMatchObject({ expiresAt: NOW + 120_000 })
  })

  test('is a date, however far', async () => {
    await using at = await open()
    at.idToken = () => at.sign({ exp: 1e308 })
    at.tokens = { expires_in: 1e308 }
    for (const end of Object.values(await endsOf(at))) {
      expect(new Date(end).toISOString()).toBe('+275760-09-13T00:00:00.000Z')
    }
  })

  test('is a whole number, whatever the provider counts in', async () => {
    await using at = await open()
    at.idToken = () => at.sign({ exp: NOW / 1000 + 120.0005 })
    at.tokens = { expires_in: 60.0005 }
    expect(await endsOf(at)).toStrictEqual({
      idTokenExpiresAt: NOW + 120_000,
      expiresAt: NOW + 60_000,
    })
  })

  test('is judged by the clock that the adapter was given', async () => {
    await using at = await openFakeIssuer({ clock: clockAhead(600_000) })
    expect(await at.refresh()).toStrictEqual(failed('ERR_JWT_EXPIRED'))
  })
})

test('a provider that does not rotate refresh tokens leaves the one that there is', async () => {
  await using at = await openFakeIssuer()
  expect(await at.refresh()).toMatchObject({
    value: { tokens: { refreshToken: REFRESH_TOKEN } },
  })
  at.tokens = { refresh_token: 'next' }
  expect(await at.refresh()).toMatchObject({ value: { tokens: { refreshToken: 'next' } } })
})
