import { describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSessions } from '#src/lib/domain/access/sessions.ts'
import { createSessionTokens } from '#src/lib/domain/access/session-tokens.ts'
import type { SessionStore } from '#src/lib/ports/database.ts'
import type {
  IdentityFailure,
  IdentityProvider,
  IdentityTokens,
  Principal,
  SignIn,
} from '#src/lib/ports/identity.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'

const T0 = Date.UTC(2026, 10, 21)
const MINUTE = 60_000

const ada: Principal = {
  issuer: 'https://id.example.org',
  subject: 'ada',
  name: 'Ada',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
}

const tokensOf = (round: number, from: number): IdentityTokens => ({
  idToken: `id-${round}`,
  idTokenExpiresAt: from + 10 * MINUTE,
  accessToken: `access-${round}`,
  refreshToken: `refresh-${round}`,
  expiresAt: from + 5 * MINUTE,
})

/** A rotating identity provider: each refresh token is good for once. */
function createProvider(clock: { now(): number }) {
  let round = 0
  const provider = {
    asked: [] as string[],
    answer: undefined as Result<SignIn, IdentityFailure> | undefined,
    pace: Promise.resolve() as Promise<unknown>,
    async refresh(token: string) {
      provider.asked.push(token)
      await provider.pace
      if (provider.answer !== undefined) return provider.answer
      if (token !== `refresh-${round}`) return err({ kind: 'identity_rejected' } as const)
      round++
      const groups = { kind: 'known', names: [`round-${round}`] } as const
      return ok({ principal: { ...ada, groups }, tokens: tokensOf(round, clock.now()) })
    },
  }
  return provider satisfies Pick<IdentityProvider, 'refresh'>
}

async function world({ tokens = tokensOf(0, T0) }: { tokens?: IdentityTokens | null } = {}) {
  const database = await openDatabase('sqlite::memory:')
  if (!database.ok) throw new Error(database.error.reason)
  const { sessions: store } = database.value
  const clock = { at: T0, now: () => clock.at }
  const keyring = ephemeralKeyring()
  const provider = createProvider(clock)
  const replica = (over: Partial<SessionStore> = {}) =>
    createSessionTokens({ store: { ...store, ...over }, keyring, identity: provider, clock })
  const sessions = createSessions({
    store,
    keyring,
    clock,
    log: () => {},
    idleSeconds: 36_000,
    absoluteSeconds: 36_000,
  })
  const opened = await sessions.open({ principal: ada, sid: null, tokens })
  if (!opened.ok) throw new Error(opened.error.reason)
  const { session, token } = opened.value
  return {
    clock,
    provider,
    replica,
    session,
    store,
    resolve: () => {
      clock.at += 1_001
      return sessions.resolve(token)
    },
    [Symbol.asyncDispose]: () => database.value.close(),
  }
}

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

  test('are renewed once across replicas', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    const gate = Promise.withResolvers<void>()
    at.provider.pace = gate.promise
    const asking = Array.from({ length: 5 }, () => at.replica().current(at.session, 'accessToken'))
    await Bun.sleep(20)
    gate.resolve()
    for (const each of await Promise.all(asking)) {
      expect(each).toMatchObject({ value: { accessToken: 'access-1' } })
    }
    expect(at.provider.asked).toStrictEqual(['refresh-0'])
  })

  test('of a replica that died while renewing are renewed when its time is over', async () => {
    await using at = await world()
    at.clock.at = T0 + 6 * MINUTE
    at.provider.pace = new Promise(() => {})
    void at.replica().current(at.session, 'accessToken')
    await Bun.sleep(20)
    at.provider.pace = Promise.resolve()
    const other = at.replica().current(at.session, 'accessToken')
    await Bun.sleep(150)
    expect(at.provider.asked).toHaveLength(1)
    at.clock.at += 15_001
    expect(await other).toMatchObject({ value: { accessToken: 'access-1' } })
    expect(at.provider.asked).toHaveLength(2)
  })

  test('are not waited for longer than a lease lasts, whatever clock it was made by', async () => {
    await using at = await world()
    at.clock.at = T0 + 60 * MINUTE
    at.provider.pace = new Promise(() => {})
    void at.replica().current(at.session, 'accessToken')
    await Bun.sleep(20)
    at.provider.pace = Promise.resolve()
    at.clock.at = T0 + 6 * MINUTE
    const other = at.replica().current(at.session, 'accessToken')
    await Bun.sleep(120)
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
    // The next one tries again, and is not held up by the lease of who failed.
    at.provider.answer = undefined
    expect(await replica.current(at.session, 'accessToken')).toMatchObject({ ok: true })
  })

  test('are tried to renew every ten seconds at most while they are good', async () => {
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
    await ask()
    await ask()
    expect(at.provider.asked).toHaveLength(4)
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

  test('a refused refresh token ends the session', async () => {
    await using at = await world()
    at.provider.answer = rejected
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(rejected)
    expect(await at.resolve()).toStrictEqual({ kind: 'invalid' })
    expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(rejected)
  })

  test.each([
    ['subject', { ...ada, subject: 'eve' }],
    ['issuer', { ...ada, issuer: 'https://evil.example.org' }],
  ])('tokens of another %s end the session', async (_, principal) => {
    await using at = await world()
    at.provider.answer = ok({ principal, tokens: tokensOf(9, T0) })
    at.clock.at = T0 + 6 * MINUTE
    expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(rejected)
    expect(await at.resolve()).toStrictEqual({ kind: 'invalid' })
  })
})
