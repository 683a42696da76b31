import { describe, expect, test } from 'bun:test'
import { decodeContent, encodeContent } from '#src/lib/domain/access/sessions/session.ts'
import { err, ok } from '#src/lib/result.ts'
import { ada, MINUTE, T0, tokensOf, world } from './token-world.ts'

const HOUR = 60 * MINUTE
const rejected = err({ kind: 'identity_rejected' })
const notRenewable = err({ kind: 'identity_not_renewable' })
const groupsOf = (round: number) => ({
  value: { principal: { groups: { names: [`round-${round}`] } } },
})

/** Tokens that outlast the test: the age of the claims alone decides. */
const lasting = (round: number) => ({
  ...tokensOf(round, T0),
  idTokenExpiresAt: T0 + 10 * HOUR,
  expiresAt: T0 + 10 * HOUR,
})

describe('claims for a decision', () => {
  test('are those of the session for five minutes, and not a millisecond longer', async () => {
    await using at = await world({ tokens: lasting(0) })
    const replica = at.replica()
    at.clock.at = T0 + 5 * MINUTE - 1
    expect(await replica.recent(at.session)).toStrictEqual(ok(at.session))
    expect(at.provider.asked).toStrictEqual([])
    at.clock.at += 1
    expect(await replica.recent(at.session)).toMatchObject(groupsOf(1))
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
  })

  test('are renewed once, however many ask in two processes, with and without tokens', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    const gate = Promise.withResolvers<void>()
    at.provider.pace = gate.promise
    const replicas = [at.replica(), at.replica()]
    const deciding = replicas.flatMap((replica) =>
      Array.from({ length: 100 }, () => replica.recent(at.session)),
    )
    const calling = replicas.map((replica) => replica.current(at.session, 'accessToken'))
    await Bun.sleep(20)
    gate.resolve()
    for (const each of await Promise.all(deciding)) expect(each).toMatchObject(groupsOf(1))
    for (const each of await Promise.all(calling)) {
      expect(each).toMatchObject({ value: { accessToken: 'access-1' } })
    }
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
  })

  test('are five minutes old again after the renewal, for whoever comes with the old session', async () => {
    await using at = await world({ tokens: lasting(0) })
    at.clock.at = T0 + 6 * MINUTE
    const replica = at.replica()
    await replica.recent(at.session)
    at.clock.at += 5 * MINUTE - 1
    expect(await replica.recent(at.session)).toMatchObject(groupsOf(1))
    at.clock.at += 1
    expect(await replica.recent(at.session)).toMatchObject(groupsOf(2))
  })

  test('are as old as the question, not as the answer', async () => {
    await using at = await world({ tokens: lasting(0) })
    at.clock.at = T0 + 6 * MINUTE
    const gate = Promise.withResolvers<void>()
    at.provider.pace = gate.promise
    const asking = at.replica().recent(at.session)
    while (at.provider.asked.length === 0) await Bun.sleep(1)
    at.clock.at += 4_000
    gate.resolve()
    expect(await asking).toMatchObject({ value: { claimsAt: T0 + 6 * MINUTE } })
  })

  test('of a clock that is far ahead have no known age', async () => {
    await using at = await world({ tokens: lasting(0) })
    const ahead = { ...at.session, claimsAt: T0 + 60_000 }
    await at.replica().recent({ ...ahead, claimsAt: ahead.claimsAt - 1 })
    expect(at.provider.asked).toStrictEqual([])
    at.clock.at = T0 + 6 * MINUTE
    await at.replica().recent({ ...ahead, claimsAt: T0 + 7 * MINUTE })
    expect(at.provider.asked).toHaveLength(1)
  })

  test('are stale after an older executable has sealed the session again', async () => {
    await using at = await world({ tokens: lasting(0) })
    const { idHash } = at.session
    const row = await at.store.find(idHash)
    if (!row.ok || row.value === null) throw new Error('no row')
    const content = decodeContent(at.keyring.open(idHash, row.value) ?? new Uint8Array())
    if (content === undefined) throw new Error('no content')
    const { principal, tokens, renewingUntil } = content
    const old = encodeContent({ principal, tokens, renewingUntil })
    await at.store.reseal(idHash, 1, at.keyring.seal(idHash, old))
    const resolved = await at.resolve()
    expect(resolved).toMatchObject({ kind: 'active', session: { claimsAt: 0, principal: ada } })
    if (resolved.kind !== 'active') return
    expect(await at.replica().recent(resolved.session)).toMatchObject(groupsOf(1))
  })
})

describe('renewed groups', () => {
  test('count at once in this process, whatever was looked up a moment ago', async () => {
    await using at = await world({ tokens: lasting(0) })
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.sessions.resolve(at.token)).toMatchObject({ session: { principal: ada } })
    await at.replica({}, at.sessions).recent(at.session)
    const renewed = { session: { principal: { groups: { names: ['round-1'] } } } }
    expect(await at.sessions.resolve(at.token)).toMatchObject(renewed)
  })

  test('are not displaced by a look-up that began before them', async () => {
    const held = Promise.withResolvers<void>()
    await using at = await world({ tokens: lasting(0) })
    at.clock.at = T0 + 6 * MINUTE
    const slow = at.newSessions({
      async find(idHash) {
        const row = await at.store.find(idHash)
        await held.promise
        return row
      },
    })
    const early = slow.resolve(at.token)
    await Bun.sleep(5)
    await at.replica({}, slow).recent(at.session)
    const late = slow.resolve(at.token)
    held.resolve()
    await early
    const renewed = { session: { principal: { groups: { names: ['round-1'] } } } }
    expect(await late).toMatchObject(renewed)
    expect(await slow.resolve(at.token)).toMatchObject(renewed)
  })
})

describe('a provider that refuses', () => {
  test('ends the session, which is on record once', async () => {
    await using at = await world({ tokens: lasting(0) })
    at.provider.answer = rejected
    at.clock.at = T0 + 6 * MINUTE
    const replicas = [at.replica(), at.replica()]
    const all = await Promise.all(replicas.map((replica) => replica.recent(at.session)))
    expect(all).toStrictEqual([rejected, rejected])
    expect(at.provider.asked).toHaveLength(1)
    expect(await at.resolve()).toStrictEqual({ kind: 'invalid' })
    expect(at.recorded).toStrictEqual([
      {
        action: 'session.ended_by_provider',
        target: `session/${at.session.idHash}`,
        result: 'done',
        code: 'identity_rejected',
        requestId: 'r-1',
        address: '192.0.2.7',
      },
    ])
  })

  test('ends it at once in its own process, streams included', async () => {
    await using at = await world({ tokens: lasting(0) })
    at.provider.answer = rejected
    at.clock.at = T0 + 6 * MINUTE
    await at.sessions.resolve(at.token)
    let ended = 0
    at.sessions.watch(at.session, () => ended++)
    await at.replica({}, at.sessions).recent(at.session)
    expect([ended, await at.sessions.resolve(at.token)]).toStrictEqual([1, { kind: 'invalid' }])
  })

  test('by answering for another person ends it too, and nobody becomes them', async () => {
    await using at = await world({ tokens: lasting(0) })
    const eve = { ...ada, subject: 'eve' }
    at.provider.answer = ok({ principal: eve, sid: null, tokens: lasting(1) })
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().recent(at.session)).toStrictEqual(rejected)
    expect(await at.resolve()).toStrictEqual({ kind: 'invalid' })
    expect(at.recorded).toMatchObject([{ code: 'identity_changed' }])
  })

  test('ends no other session of the person', async () => {
    await using at = await world({ tokens: lasting(0) })
    const other = await at.signIn(lasting(7))
    at.provider.answer = rejected
    at.clock.at = T0 + 6 * MINUTE
    await at.replica().recent(at.session)
    expect(await at.sessions.resolve(other.token)).toMatchObject({ kind: 'active' })
  })
})

describe('claims that cannot be renewed', () => {
  test('of a provider without refresh tokens: the session goes on', async () => {
    await using at = await world({ tokens: { ...lasting(0), refreshToken: null } })
    at.provider.answer = notRenewable
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().recent(at.session)).toStrictEqual(notRenewable)
    expect(await at.replica().current(at.session, 'idToken')).toMatchObject({ ok: true })
    expect(await at.resolve()).toMatchObject({ kind: 'active' })
    expect(at.recorded).toStrictEqual([])
  })

  test('without an identity provider: nobody is asked', async () => {
    await using at = await world({ tokens: null })
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().recent(at.session)).toStrictEqual(notRenewable)
    expect(at.provider.asked).toStrictEqual([])
  })

  test.each([
    { kind: 'identity_unreachable' } as const,
    { kind: 'identity_timeout' } as const,
    { kind: 'identity_error', reason: 'http_500' } as const,
  ])('while the provider is away ($kind): for hours, and nobody is signed out', async (failure) => {
    await using at = await world({ tokens: lasting(0) })
    at.provider.answer = err(failure)
    at.clock.at = T0 + 6 * MINUTE
    const replica = at.replica()
    for (let hour = 0; hour < 9; hour++) {
      expect(await replica.recent(at.session)).toStrictEqual(err(failure))
      expect(await at.sessions.resolve(at.token)).toMatchObject({ kind: 'active' })
      at.clock.at += HOUR
    }
    at.provider.answer = undefined
    expect(await replica.recent(at.session)).toMatchObject(groupsOf(1))
  })

  test('are asked for once in ten seconds', async () => {
    await using at = await world({ tokens: lasting(0) })
    at.provider.answer = err({ kind: 'identity_unreachable' })
    at.clock.at = T0 + 6 * MINUTE
    const replica = at.replica()
    for (let times = 0; times < 20; times++) await replica.recent(at.session)
    expect(at.provider.asked).toHaveLength(1)
    expect(at.logged).toStrictEqual([
      { kind: 'renewal_failed', failure: { kind: 'identity_unreachable' }, requestId: 'r-1' },
    ])
    at.clock.at += 10_000
    await replica.recent(at.session)
    expect(at.provider.asked).toHaveLength(2)
  })

  test('while the tokens can: the tokens are kept, the old claims decide nothing', async () => {
    await using at = await world()
    at.provider.answer = err({
      kind: 'identity_claims_unread',
      tokens: tokensOf(1, T0 + 6 * MINUTE),
      failure: { kind: 'identity_timeout' },
    })
    at.clock.at = T0 + 6 * MINUTE
    const replica = at.replica()
    for (let times = 0; times < 3; times++) {
      expect(await replica.recent(at.session)).toStrictEqual(err({ kind: 'identity_timeout' }))
    }
    expect(await replica.current(at.session, 'accessToken')).toMatchObject({
      value: { accessToken: 'access-1' },
    })
    expect(at.provider.asked).toHaveLength(1)
    expect(await at.resolve()).toMatchObject({
      session: { principal: ada, claimsAt: T0, tokens: { refreshToken: 'refresh-1' } },
    })
  })

  test('without the database: nobody is asked, and the refresh token is not spent', async () => {
    await using at = await world({ tokens: lasting(0) })
    const away = err({ kind: 'database_unavailable', reason: 'gone' } as const)
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica({ find: async () => away }).recent(at.session)).toStrictEqual(away)
    expect(await at.replica({ reseal: async () => away }).recent(at.session)).toStrictEqual(away)
    expect(at.provider.asked).toStrictEqual([])
  })
})

test.each([
  ['renewed', undefined],
  ['refused', rejected],
])('a session that is ended while it is %s decides nothing', async (_, answer) => {
  await using at = await world({ tokens: lasting(0) })
  at.provider.answer = answer
  const gate = Promise.withResolvers<void>()
  at.provider.pace = gate.promise
  at.clock.at = T0 + 6 * MINUTE
  const deciding = at.replica().recent(at.session)
  while (at.provider.asked.length === 0) await Bun.sleep(1)
  await at.sessions.end(at.token)
  gate.resolve()
  expect(await deciding).toStrictEqual(rejected)
  // The person ended it, not the provider.
  expect(at.recorded).toStrictEqual([])
})
