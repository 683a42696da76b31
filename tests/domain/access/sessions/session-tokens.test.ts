import { describe, expect, test } from 'bun:test'
import { err, ok } from '#src/lib/result.ts'
import { ada, MINUTE, T0, tokensOf, world } from './token-world.ts'

const missing = err({ kind: 'identity_token_missing' })
const rejected = err({ kind: 'identity_rejected' })

describe('tokens that are good', () => {
  test('are given without asking anybody', async () => {
    await using at = await world()
    at.clock.at = T0 + 3 * MINUTE
    const tokens = await at.replica().current(at.session, 'accessToken')
    expect(tokens).toStrictEqual(ok(tokensOf(0, T0)))
    expect(at.provider.asked).toStrictEqual([])
  })

  test('are judged by the one that is needed', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().current(at.session, 'idToken')).toMatchObject({ ok: true })
    expect(at.provider.asked).toStrictEqual([])
    await at.replica().current(at.session, 'accessToken')
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
  })
})

describe('tokens that end within a minute', () => {
  test('are renewed once, however many ask, and kept with the new groups', async () => {
    await using at = await world()
    at.clock.at = T0 + 4.5 * MINUTE
    const replica = at.replica()
    const all = await Promise.all(
      Array.from({ length: 50 }, () => replica.current(at.session, 'accessToken')),
    )
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
    for (const each of all) expect(each).toMatchObject({ value: { accessToken: 'access-1' } })
    expect(await at.resolve()).toMatchObject({
      session: {
        principal: { groups: { names: ['round-1'] } },
        tokens: { refreshToken: 'refresh-1' },
      },
    })
  })

  test('are looked for once, however many ask at a time', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    const asked = { find: 0, reseal: 0 }
    const replica = at.replica({
      find: (...row) => (asked.find++, at.store.find(...row)),
      reseal: (...row) => (asked.reseal++, at.store.reseal(...row)),
    })
    const all = Array.from({ length: 50 }, () => replica.current(at.session, 'accessToken'))
    expect(new Set((await Promise.all(all)).map(({ ok }) => ok))).toStrictEqual(new Set([true]))
    expect(asked).toStrictEqual({ find: 1, reseal: 2 })
  })

  test.each([
    ['it was made by', 54 * MINUTE, 0],
    ['it is read by', 0, -MINUTE / 2],
  ])('are not waited for longer than a lease lasts, whatever clock %s', async (_, made, read) => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    at.clock.off = made
    at.provider.pace = new Promise(() => {})
    void at.replica().current(at.session, 'accessToken')
    while (at.provider.asked.length === 0) await Bun.sleep(1)
    at.provider.pace = Promise.resolve()
    at.clock.off = 0
    const other = at.replica().current(at.session, 'accessToken')
    await Bun.sleep(120)
    at.clock.off = read
    at.clock.at += 15_001
    expect(await other).toMatchObject({ value: { accessToken: 'access-1' } })
  })

  test('are used to their end when the provider is away, and not beyond', async () => {
    await using at = await world()
    at.provider.answer = err({ kind: 'identity_unreachable' })
    at.clock.at = T0 + 4.5 * MINUTE
    const replica = at.replica()
    expect(await replica.current(at.session, 'accessToken')).toMatchObject({ ok: true })
    at.clock.at = T0 + 5 * MINUTE
    expect(await replica.current(at.session, 'accessToken')).toStrictEqual(
      err({ kind: 'identity_unreachable' }),
    )
    // Who comes ten seconds later tries again, and is not held up by the lease of who failed.
    at.provider.answer = undefined
    at.clock.at += 10_000
    expect(await replica.current(at.session, 'accessToken')).toMatchObject({ ok: true })
  })

  test('are tried to renew every ten seconds at most, good or not', async () => {
    await using at = await world()
    at.provider.answer = err({ kind: 'identity_timeout' })
    at.clock.at = T0 + 4.5 * MINUTE
    const replica = at.replica()
    const ask = () => replica.current(at.session, 'accessToken')
    for (let times = 0; times < 5; times++) expect(await ask()).toMatchObject({ ok: true })
    expect(at.provider.asked).toHaveLength(1)
    at.clock.at += 9_999
    await ask()
    expect(at.provider.asked).toHaveLength(1)
    at.clock.at += 1
    await ask()
    expect(at.provider.asked).toHaveLength(2)
    at.clock.at = T0 + 5 * MINUTE
    for (let times = 0; times < 5; times++) {
      expect(await ask()).toStrictEqual(err({ kind: 'identity_timeout' }))
    }
    expect(at.provider.asked).toHaveLength(3)
  })

  test('are looked at by the one that is needed, whoever renews the other', async () => {
    const ended = { ...tokensOf(0, T0), idTokenExpiresAt: T0 + 1 }
    await using at = await world({ tokens: ended })
    const held = Promise.withResolvers<void>()
    at.provider.pace = held.promise
    at.clock.at = T0 + 6 * MINUTE
    const replica = at.replica()
    const both = [
      replica.current(at.session, 'accessToken'),
      replica.current(at.session, 'idToken'),
    ]
    while (at.provider.asked.length === 0) await Bun.sleep(1)
    // What the provider gives anew is good for access alone.
    at.provider.answer = ok({
      sid: null,
      principal: ada,
      tokens: { ...tokensOf(1, at.clock.at), idTokenExpiresAt: at.clock.at },
    })
    held.resolve()
    await both[0]
    at.provider.answer = ok({ sid: null, principal: ada, tokens: tokensOf(2, at.clock.at) })
    expect(await both[1]).toMatchObject({ value: { idToken: 'id-2' } })
  })

  test('are given even if the store does not take them, and offered to it again', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    const lost = err({ kind: 'database_unavailable', reason: 'full' } as const)
    let calls = 0
    const replica = at.replica({
      reseal: (...row) => (++calls === 2 ? Promise.resolve(lost) : at.store.reseal(...row)),
    })
    const expected = { value: { accessToken: 'access-1' } }
    expect(await replica.current(at.session, 'accessToken')).toMatchObject(expected)
    // Whoever comes meanwhile waits for the store to have them: the refresh token of its row is used up.
    expect(await at.replica().current(at.session, 'accessToken')).toMatchObject(expected)
    expect([calls, at.provider.asked]).toStrictEqual([3, ['refresh-0']])
  })

  test('a store that is away is said, and the refresh token is not spent', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    const away = err({ kind: 'database_unavailable', reason: 'gone' } as const)
    const replica = at.replica({ reseal: async () => away })
    expect(await replica.current(at.session, 'accessToken')).toStrictEqual(away)
    expect(at.provider.asked).toStrictEqual([])
  })
})

describe('no tokens to be had', () => {
  test('a person without an identity provider has none', async () => {
    await using at = await world({ tokens: null })
    expect(await at.replica().current(at.session, 'idToken')).toStrictEqual(missing)
  })

  test('without a refresh token they end, and the session stays', async () => {
    await using at = await world({ tokens: { ...tokensOf(0, T0), refreshToken: null } })
    at.clock.at = T0 + 4.5 * MINUTE
    expect(await at.replica().current(at.session, 'accessToken')).toMatchObject({ ok: true })
    at.clock.at = T0 + 5 * MINUTE
    expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(missing)
    expect(await at.resolve()).toMatchObject({ kind: 'active' })
  })

  test('a refused refresh token ends the session even while the other tokens are good', async () => {
    await using at = await world()
    at.provider.answer = rejected
    at.clock.at = T0 + 4.5 * MINUTE
    expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(rejected)
    expect(await at.resolve()).toStrictEqual({ kind: 'invalid' })
  })

  test.each([
    ['subject', { ...ada, subject: 'eve' }],
    ['issuer', { ...ada, issuer: 'https://evil.example.org' }],
  ])('tokens of another %s end the session', async (_, principal) => {
    await using at = await world()
    at.provider.answer = ok({ sid: null, principal, tokens: tokensOf(9, T0) })
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(rejected)
    expect(await at.resolve()).toStrictEqual({ kind: 'invalid' })
  })
})
