import { describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { parseKeys } from '#src/lib/crypto/keyring.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import type { Principal } from '#src/lib/domain/access/principal.ts'
import {
  createSessions,
  type NewGrant,
  type NewSession,
  type SessionEvent,
  type SessionsOptions,
} from '#src/lib/domain/access/sessions/sessions.ts'
import { ENTRIES_MAX } from '#src/lib/concurrency/lru.ts'
import { newFamily } from '#src/lib/domain/access/grants/grant-token.ts'
import { hashOfToken, newSessionToken } from '#src/lib/domain/access/sessions/session-token.ts'
import type { SessionOwner, SessionStore } from '#src/lib/ports/database/sessions.ts'
import { valueOf } from '#tests/support/value-of.ts'

const T0 = Date.UTC(2026, 10, 21)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const INVALID = { kind: 'invalid' } as const
const UNAVAILABLE = { kind: 'unavailable' } as const

const principal: Principal = {
  issuer: 'https://id.example',
  subject: 'ada',
  name: 'Ada Lövelace',
  email: 'ada@example.org',
  groups: { kind: 'known', names: ['payments', 'payments:Managers'] },
}
const tokens = {
  idToken: 'secret-id',
  accessToken: 'secret-access',
  refreshToken: 'secret-refresh',
  idTokenExpiresAt: T0 + HOUR,
  expiresAt: T0 + HOUR,
}
const person = { kind: 'person', issuer: principal.issuer, subject: 'ada' } as const
const browser = { address: '192.0.2.7', userAgent: 'Firefox/150.0' }
const ada: NewSession = { principal, sid: 'sid-1', tokens, ...browser }

/** What a session without tokens seals into its row. */
const sealed = { format: 2, principal, tokens: null, renewingUntil: null }
const limits = { idleSeconds: 3600, absoluteSeconds: 36_000 }

/** Sessions on a real store, with a clock to move, a store to break and a count of its questions. */
async function world(options: Partial<SessionsOptions> = {}) {
  const database = valueOf(await openDatabase('sqlite::memory:'))
  const events: SessionEvent[] = []
  const asked = { finds: 0, touches: 0 }
  const broken = new Set<keyof SessionStore>()
  const refusal = { ok: false, error: { kind: 'database_unavailable', reason: 'TEST' } } as const
  const real = database.sessions
  const store: SessionStore = {
    insert: async (...row) => (broken.has('insert') ? refusal : real.insert(...row)),
    find: async (idHash) => {
      asked.finds += 1
      return broken.has('find') ? refusal : real.find(idHash)
    },
    list: (person) => real.list(person),
    living: (idHashes) => real.living(idHashes),
    touch: async (...seen) => {
      asked.touches += 1
      return broken.has('touch') ? refusal : real.touch(...seen)
    },
    countGrants: (...times) => real.countGrants(...times),
    reseal: (...sealed) => real.reseal(...sealed),
    remove: async (which) => (broken.has('remove') ? refusal : real.remove(which)),
  }
  const clock = { time: T0, now: () => clock.time }
  const keyring = ephemeralKeyring()
  const all = {
    store,
    keyring,
    clock,
    log: (event: SessionEvent) => events.push(event),
    ...limits,
    ...options,
  }
  return {
    sessions: createSessions(all),
    sessionsWith: (store: SessionStore) => createSessions({ ...all, store }),
    refusal,
    /** Another replica on the same store. */
    replica: () => createSessions(all),
    real,
    clock,
    events,
    asked,
    broken,
    [Symbol.asyncDispose]: () => database.close(),
  }
}

describe('a grant', () => {
  const granted = (session?: string): NewGrant => ({
    principal,
    sid: null,
    tokens: { ...tokens, refreshToken: null },
    address: null,
    family: newFamily(),
    unusedUntil: T0 + MINUTE,
    expiresAt: T0 + 10 * HOUR,
    grant: {
      kind: 'cli',
      clientId: 'portico',
      clientName: 'Portico command line',
      scopes: ['catalog:read'],
      teams: null,
      resource: 'https://portal.example',
      redirectUri: 'http://127.0.0.1/callback',
      codeChallenge: '',
      ...(session !== undefined && { session }),
    },
  })

  test('without a refresh token ends with the session of the person, however that ends', async () => {
    await using at = await world()
    const { token, session } = valueOf(await at.sessions.open(ada))
    const bound = valueOf(await at.sessions.openGrant(granted(session.idHash)))
    const lasting = valueOf(await at.sessions.openGrant(granted()))
    expect(await at.replica().reread(bound)).toMatchObject({ kind: 'active' })
    expect(valueOf(await at.sessions.listGrants(principal))).toHaveLength(2)
    await at.sessions.end(token)
    expect(await at.replica().reread(bound)).toStrictEqual(INVALID)
    expect(await at.replica().reread(lasting)).toMatchObject({ kind: 'active' })
    expect(valueOf(await at.sessions.listGrants(principal))).toHaveLength(1)
  })
})

describe('open', () => {
  test('gives a random token and the session, and stores neither token nor identity in the clear', async () => {
    await using at = await world()
    const opened = valueOf(await at.sessions.open(ada))
    expect(opened.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(opened.session).toStrictEqual({
      principal,
      tokens,
      grant: null,
      idHash: hashOfToken(opened.token),
      claimsAt: T0,
      createdAt: T0,
      seenAt: T0,
      expiresAt: T0 + 10 * HOUR,
    })
    expect(await at.sessions.resolve(opened.token)).toStrictEqual({
      kind: 'active',
      session: opened.session,
    })

    const row = valueOf(await at.real.find(hashOfToken(opened.token)))
    const stored = JSON.stringify(row) + new TextDecoder('latin1').decode(row?.sealed)
    expect(stored).not.toMatch(/secret|payments|example\.org/)
    expect(stored).not.toContain(opened.token)
  })

  // prettier-ignore
  test.each<[string, Pick<NewSession, 'principal' | 'tokens'>]>([
    ['without tokens',           { principal, tokens: null }],
    ['without a refresh token',  { principal, tokens: { ...tokens, refreshToken: null } }],
    ['of unknown groups',        { principal: { ...principal, email: null, groups: { kind: 'unknown', reason: 'missing' } }, tokens }],
  ])('an identity %s comes back', async (_, identity) => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open({ ...ada, ...identity }))
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active', session: identity })
  })

  test('two sessions of one person have different tokens', async () => {
    await using at = await world()
    const opened = [valueOf(await at.sessions.open(ada)), valueOf(await at.sessions.open(ada))]
    expect(new Set(opened.map(({ token }) => token)).size).toBe(2)
  })

  test('ends the session that the browser came with', async () => {
    await using at = await world()
    const { token: planted } = valueOf(await at.sessions.open(ada))
    await at.sessions.resolve(planted)
    const { token } = valueOf(await at.sessions.open(ada, planted))
    expect(await at.sessions.resolve(planted)).toStrictEqual(INVALID)
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
  })

  test('opens nothing when the previous session cannot be ended', async () => {
    await using at = await world()
    const { token: planted } = valueOf(await at.sessions.open(ada))
    at.broken.add('remove')
    expect(await at.sessions.open(ada, planted)).toMatchObject({ ok: false })
    expect(await at.real.remove(person)).toStrictEqual({
      ok: true,
      value: 1,
    })
  })

  test('a previous token that is none does not matter', async () => {
    await using at = await world()
    expect(await at.sessions.open(ada, '{"a":1}')).toMatchObject({ ok: true })
    expect(await at.sessions.open(ada, newSessionToken())).toMatchObject({ ok: true })
  })

  test('the eleventh session ends the oldest', async () => {
    await using at = await world()
    const opened: string[] = []
    for (let index = 0; index < 11; index += 1) {
      at.clock.time += 1
      opened.push(valueOf(await at.sessions.open(ada)).token)
    }
    const kinds = await Promise.all(opened.map(async (token) => at.sessions.resolve(token)))
    expect(kinds.map(({ kind }) => kind as string)).toStrictEqual([
      'invalid',
      ...Array.from({ length: 10 }, () => 'active'),
    ])
  })

  test('without a store is a value', async () => {
    await using at = await world()
    at.broken.add('insert')
    expect(await at.sessions.open(ada)).toStrictEqual({
      ok: false,
      error: { kind: 'database_unavailable', reason: 'TEST' },
    })
  })
})

describe('expiry', () => {
  // prettier-ignore
  test.each([
    ['at once',                                  [0],                                 'active'],
    ['a millisecond before idle',                [HOUR - 1],                          'active'],
    ['idle',                                     [HOUR],                              'invalid'],
    ['used within the hour, then not',           [59 * MINUTE, 59 * MINUTE + HOUR],   'invalid'],
    ['used within the hour, again and again',    [59 * MINUTE, 118 * MINUTE, 177 * MINUTE], 'active'],
    ['used to a millisecond before the end',     [...Array.from({ length: 20 }, (_, half) => half * HOUR / 2), 10 * HOUR - 1], 'active'],
    ['used to the absolute end',                 [...Array.from({ length: 20 }, (_, half) => half * HOUR / 2), 10 * HOUR],     'invalid'],
    ['a clock 5 minutes behind',                 [-5 * MINUTE],                       'active'],
    ['a clock further behind',                   [-5 * MINUTE - 1],                   'invalid'],
  ])('%s', async (_, times, kind) => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    let last: string | undefined
    for (const time of times) {
      at.clock.time = T0 + time
      last = (await at.sessions.resolve(token)).kind
    }
    expect(last).toBe(kind)
  })

  test('removes the row', async () => {
    await using at = await world()
    const { token, session } = valueOf(await at.sessions.open(ada))
    at.clock.time += HOUR
    await at.sessions.resolve(token)
    expect(await at.real.find(session.idHash)).toStrictEqual({ ok: true, value: null })
  })

  test('a row from the future is refused, said and kept', async () => {
    await using at = await world()
    const { token, session } = valueOf(await at.sessions.open(ada))
    at.clock.time -= 48 * HOUR
    expect(await at.sessions.resolve(token)).toStrictEqual(INVALID)
    expect(at.events).toStrictEqual([
      { kind: 'created_in_future', idHash: session.idHash, aheadMs: 48 * HOUR },
    ])
    at.clock.time = T0
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
  })

  test.each([
    ['idle', { idleSeconds: 0.5, absoluteSeconds: 100 }],
    ['absolute', { idleSeconds: 100, absoluteSeconds: 0.5 }],
  ])('%s ends a session that was confirmed a moment ago', async (_, shorter) => {
    await using at = await world(shorter)
    const { token } = valueOf(await at.sessions.open(ada))
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
    at.clock.time += 500
    expect(await at.sessions.resolve(token)).toStrictEqual(INVALID)
  })

  test('use is written down at most once a minute', async () => {
    await using at = await world()
    const { token, session } = valueOf(await at.sessions.open(ada))
    for (let second = 0; second < 180; second += 1) {
      at.clock.time = T0 + second * 1000
      await at.sessions.resolve(token)
    }
    expect(at.asked.touches).toBe(2)
    expect(valueOf(await at.real.find(session.idHash))?.seenAt).toBe(T0 + 2 * MINUTE)
  })

  test('use that cannot be written down does not end the session', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    at.broken.add('touch')
    at.clock.time += MINUTE
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
    expect(at.events).toStrictEqual([
      { kind: 'store_unavailable', during: 'touch', reason: 'TEST' },
    ])
  })

  test('nobody waits until use is written down: another process may have locked the database', async () => {
    const written = Promise.withResolvers<void>()
    await using at = await world()
    const store = { ...at.real, touch: () => written.promise.then(() => at.refusal) }
    const sessions = at.sessionsWith(store)
    const { token } = valueOf(await sessions.open(ada))
    at.clock.time += MINUTE
    expect(await sessions.resolve(token)).toMatchObject({ kind: 'active' })
    expect(at.events).toStrictEqual([])
    written.resolve()
    await Bun.sleep(0)
    expect(at.events).toMatchObject([{ during: 'touch' }])
  })

  test('sweep removes what is over, and nothing else', async () => {
    await using at = await world()
    valueOf(await at.sessions.open(ada))
    at.clock.time += 30 * MINUTE
    const { token } = valueOf(await at.sessions.open(ada))
    at.clock.time += 30 * MINUTE
    expect(await at.sessions.sweep()).toStrictEqual({ ok: true, value: 1 })
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
  })
})

describe('resolve', () => {
  test('answers at once for a second, then asks again', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    const first = at.sessions.resolve(token)
    expect(first).toBeInstanceOf(Promise)
    const answer = await first
    at.clock.time += 999
    expect(at.sessions.resolve(token)).toStrictEqual(answer)
    at.clock.time += 1
    const again = at.sessions.resolve(token)
    expect(again).toBeInstanceOf(Promise)
    await again
    expect(at.asked.finds).toBe(2)
  })

  test('a clock that is set back makes it ask again', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    await at.sessions.resolve(token)
    at.clock.time -= 1
    expect(at.sessions.resolve(token)).toBeInstanceOf(Promise)
  })

  test('50 at once ask the store once', async () => {
    await using at = await world()
    const { token, session } = valueOf(await at.sessions.open(ada))
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => at.sessions.resolve(token)),
    )
    expect(all).toStrictEqual(Array.from({ length: 50 }, () => ({ kind: 'active', session })))
    expect(at.asked.finds).toBe(1)
  })

  test.each([
    '',
    'x',
    '{"a":1}',
    'A'.repeat(42),
    'A'.repeat(44),
    `${'A'.repeat(42)}/`,
    `${'A'.repeat(43)}\n`,
  ])('%p is invalid without asking', async (token) => {
    await using at = await world()
    expect(at.sessions.resolve(token)).toStrictEqual(INVALID)
    expect(at.asked.finds).toBe(0)
  })

  test('a token that nobody gave out is invalid, and is asked for each time', async () => {
    await using at = await world()
    const token = newSessionToken()
    expect(await at.sessions.resolve(token)).toStrictEqual(INVALID)
    expect(await at.sessions.resolve(token)).toStrictEqual(INVALID)
    expect(at.asked.finds).toBe(2)
  })

  test('a store that is away is unavailable, and asked again when it is back', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    at.broken.add('find')
    expect(await at.sessions.resolve(token)).toStrictEqual(UNAVAILABLE)
    expect(at.events).toStrictEqual([
      { kind: 'store_unavailable', during: 'resolve', reason: 'TEST' },
    ])
    at.broken.clear()
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
  })

  test('a store that goes away leaves what it confirmed for 30 seconds, to read', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    await at.sessions.resolve(token)
    at.broken.add('find')
    at.clock.time += 1000
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'unconfirmed' })
    // Known to be away: nobody waits for it, and it is asked all the same.
    expect(at.sessions.resolve(token)).toMatchObject({ kind: 'unconfirmed' })
    expect(at.asked.finds).toBe(3)
    at.clock.time += 28_999
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'unconfirmed' })
    at.clock.time += 1
    expect(await at.sessions.resolve(token)).toStrictEqual(UNAVAILABLE)
    at.broken.clear()
    expect(await at.sessions.resolve(token)).toMatchObject({ kind: 'active' })
  })

  test('who is to decide something waits for a store that is back, though it was away', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    const other = valueOf(await at.sessions.open(ada))
    await at.sessions.resolve(token)
    at.clock.time += 1000
    at.broken.add('find')
    expect(await at.sessions.resolve(other.token)).toStrictEqual(UNAVAILABLE)
    at.broken.clear()
    expect(await at.sessions.resolve(token, 'deciding')).toMatchObject({ kind: 'active' })
  })

  test('what has ended is not left, though the store is away', async () => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    await at.sessions.resolve(token)
    at.broken.add('find').add('remove')
    await at.sessions.end(token)
    expect(await at.sessions.resolve(token)).toStrictEqual(INVALID)
  })

  test('remembers a bounded number of tokens, and forgets the longest unconfirmed', async () => {
    await using at = await world({ perPerson: ENTRIES_MAX + 10 })
    const opened: string[] = []
    for (let index = 0; index < ENTRIES_MAX + 1; index += 1) {
      const subject = `person ${index}`
      opened.push(
        valueOf(await at.sessions.open({ ...ada, principal: { ...principal, subject } })).token,
      )
    }
    for (const token of opened) await at.sessions.resolve(token)
    const remembered = (token: string | undefined) =>
      !(at.sessions.resolve(token ?? '') instanceof Promise)
    expect(opened.slice(1).every(remembered)).toBe(true)
    expect(remembered(opened[0])).toBe(false)
  })
})

describe('what was sealed', () => {
  const k1 = `k1:${Buffer.alloc(32, 1).toString('base64')}`
  const k2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`

  test('under an old key is active while the key is listed, and removed when it is not', async () => {
    await using at = await world()
    const on = (keys: string) =>
      createSessions({
        store: at.real,
        clock: at.clock,
        keyring: valueOf(parseKeys(keys)),
        log: (event) => at.events.push(event),
        ...limits,
      })
    const { token, session } = valueOf(await on(k1).open(ada))
    expect(await on(`${k2},${k1}`).resolve(token)).toMatchObject({ kind: 'active' })
    expect(await on(k2).resolve(token)).toStrictEqual(INVALID)
    expect(at.events).toStrictEqual([{ kind: 'seal_refused', idHash: session.idHash, keyId: 'k1' }])
    expect(await at.real.find(session.idHash)).toStrictEqual({ ok: true, value: null })
  })

  test('put into another row does not open', async () => {
    await using at = await world()
    const admin = valueOf(
      await at.sessions.open({ ...ada, principal: { ...principal, subject: 'admin' } }),
    )
    const mallory = valueOf(await at.sessions.open(ada))
    const stolen = valueOf(await at.real.find(admin.session.idHash))
    if (stolen === null) throw new Error('no row')
    expect(await at.real.reseal(mallory.session.idHash, 1, stolen)).toStrictEqual({
      ok: true,
      value: true,
    })
    expect(await at.sessions.resolve(mallory.token)).toStrictEqual(INVALID)
  })

  test('says who it is, whatever the columns of the row say', async () => {
    await using at = await world()
    const { token, session } = valueOf(await at.sessions.open(ada))
    const row = valueOf(await at.real.find(session.idHash))
    if (row === null) throw new Error('no row')
    await at.real.remove({ kind: 'session', idHash: session.idHash })
    await at.real.insert({ ...row, issuer: 'https://evil.example', subject: 'admin' }, 10)
    expect(await at.sessions.resolve(token)).toMatchObject({
      kind: 'active',
      session: { principal },
    })
  })

  test.each([
    ['an older format', { ...sealed, format: 1 }],
    ['no principal', { ...sealed, principal: undefined }],
    ['a principal without groups', { ...sealed, principal: { ...principal, groups: undefined } }],
    ['groups of no kind', { ...sealed, principal: { ...principal, groups: ['payments'] } }],
    [
      'a group that is no text',
      { ...sealed, principal: { ...principal, groups: { kind: 'known', names: ['payments', 1] } } },
    ],
    ['no tokens and no null', { ...sealed, tokens: undefined }],
    ['no word of a renewal', { ...sealed, renewingUntil: undefined }],
    ['half the tokens', { ...sealed, tokens: { idToken: 'x' } }],
    ['nothing', null],
  ])('with %s is refused', async (_, content) => {
    const keyring = ephemeralKeyring()
    await using at = await world({ keyring })
    const { token, session } = valueOf(await at.sessions.open(ada))
    const bytes = new TextEncoder().encode(JSON.stringify(content))
    await at.real.reseal(session.idHash, 1, keyring.seal(session.idHash, bytes))
    expect(await at.sessions.resolve(token)).toStrictEqual(INVALID)
  })
})

describe('end', () => {
  test('ends one session at once, in this process', async () => {
    await using at = await world()
    const [one, two] = [valueOf(await at.sessions.open(ada)), valueOf(await at.sessions.open(ada))]
    await Promise.all([at.sessions.resolve(one.token), at.sessions.resolve(two.token)])
    expect(await at.sessions.end(one.token)).toStrictEqual({ ok: true, value: undefined })
    expect(await at.sessions.resolve(one.token)).toStrictEqual(INVALID)
    expect(at.sessions.resolve(two.token)).toMatchObject({ kind: 'active' })
    expect(await at.sessions.end(one.token)).toStrictEqual({ ok: true, value: undefined })
  })

  test('takes another replica a second at most', async () => {
    await using at = await world()
    const other = at.replica()
    const { token } = valueOf(await at.sessions.open(ada))
    await other.resolve(token)
    await at.sessions.end(token)
    expect(other.resolve(token)).toMatchObject({ kind: 'active' })
    at.clock.time += 1000
    expect(await other.resolve(token)).toStrictEqual(INVALID)
  })

  test.each([
    ['end', 'before'],
    ['end', 'during'],
    ['endPerson', 'before'],
    ['endPerson', 'during'],
  ] as const)('%s: a request that asked the store %s it is not remembered', async (how, when) => {
    await using at = await world()
    const { token } = valueOf(await at.sessions.open(ada))
    let finds = 0
    const gates = { find: Promise.withResolvers<void>(), remove: Promise.withResolvers<void>() }
    const slow = createSessions({
      keyring: {
        ...ephemeralKeyring(),
        open: () => new TextEncoder().encode(JSON.stringify(sealed)),
      },
      clock: at.clock,
      log: () => {},
      ...limits,
      store: {
        ...at.real,
        async find(idHash) {
          finds += 1
          const isFirst = finds === 1
          const found = await at.real.find(idHash)
          if (isFirst) await gates.find.promise
          return found
        },
        async remove(which) {
          await gates.remove.promise
          return at.real.remove(which)
        },
      },
    })
    const end = () => (how === 'end' ? slow.end(token) : slow.endPerson(person))

    const request = when === 'before' ? slow.resolve(token) : undefined
    const ending = end()
    const later = when === 'during' ? slow.resolve(token) : undefined
    // The rows are read, and only then removed.
    await Bun.sleep(1)
    gates.remove.resolve()
    await ending
    expect(await slow.resolve(token)).toStrictEqual(INVALID)
    // The answer from before the end arrives after it.
    gates.find.resolve()
    expect(await (request ?? later)).toMatchObject({ kind: 'active' })
    expect(await slow.resolve(token)).toStrictEqual(INVALID)
  })

  test('that the store refuses is a value, and the session is refused in this process', async () => {
    await using at = await world()
    const [one, two] = [valueOf(await at.sessions.open(ada)), valueOf(await at.sessions.open(ada))]
    await at.sessions.resolve(one.token)
    at.broken.add('remove')
    expect(await at.sessions.end(one.token)).toMatchObject({ ok: false })
    expect(await at.sessions.resolve(one.token)).toStrictEqual(INVALID)
    expect(await at.sessions.resolve(two.token)).toMatchObject({ kind: 'active' })

    at.broken.clear()
    at.clock.time += MINUTE
    expect(await at.sessions.resolve(one.token)).toStrictEqual(INVALID)
    expect(await at.replica().resolve(one.token)).toMatchObject({ kind: 'active' })
    expect(await at.sessions.end(one.token)).toStrictEqual({ ok: true, value: undefined })
    expect(await at.replica().resolve(one.token)).toStrictEqual(INVALID)
  })

  test('remembers a bounded number of sessions that the store kept, and forgets the first', async () => {
    await using at = await world()
    const [one, two] = [valueOf(await at.sessions.open(ada)), valueOf(await at.sessions.open(ada))]
    at.broken.add('remove')
    await at.sessions.end(one.token)
    await at.sessions.end(two.token)
    for (let ended = 2; ended < ENTRIES_MAX; ended += 1) await at.sessions.end(newSessionToken())
    expect(await at.sessions.resolve(one.token)).toStrictEqual(INVALID)
    await at.sessions.end(newSessionToken())
    expect(await at.sessions.resolve(one.token)).toMatchObject({ kind: 'active' })
    expect(await at.sessions.resolve(two.token)).toStrictEqual(INVALID)
  })

  test('of what is no token does nothing', async () => {
    await using at = await world()
    expect(await at.sessions.end('x')).toStrictEqual({ ok: true, value: undefined })
  })
})

describe('endPerson', () => {
  const bob: NewSession = { ...ada, principal: { ...principal, subject: 'bob' }, sid: 'sid-2' }
  const elsewhere: NewSession = {
    ...ada,
    principal: { ...principal, issuer: 'https://other.example' },
  }

  // prettier-ignore
  test.each<[string, SessionOwner, string[]]>([
    ['a person',       person,                                                          ['invalid', 'active', 'active']],
    ['a sign-in',      { kind: 'sign_in', issuer: principal.issuer, sid: 'sid-2', subject: null }, ['active', 'invalid', 'active']],
    ['nobody',         { kind: 'person', issuer: principal.issuer, subject: 'Ada' },    ['active', 'active', 'active']],
  ])('ends the sessions of %s at once', async (_, owner, kinds) => {
    await using at = await world()
    const all: string[] = []
    for (const identity of [ada, bob, elsewhere]) all.push(valueOf(await at.sessions.open(identity)).token)
    await Promise.all(all.map(async (token) => at.sessions.resolve(token)))
    expect(await at.sessions.endPerson(owner)).toStrictEqual({ ok: true, value: kinds.filter((kind) => kind === 'invalid').length })
    const resolved = await Promise.all(all.map(async (token) => at.sessions.resolve(token)))
    expect(resolved.map(({ kind }) => kind as string)).toStrictEqual(kinds)
  })
})

test('no event holds a token or an identity', async () => {
  await using at = await world()
  const { token } = valueOf(await at.sessions.open(ada))
  at.clock.time -= HOUR
  await at.sessions.resolve(token)
  at.clock.time += HOUR + MINUTE
  at.broken.add('touch')
  await at.sessions.resolve(token)
  at.clock.time += 1000
  at.broken.add('find')
  await at.sessions.resolve(token)
  expect(at.events).toHaveLength(3)
  expect(JSON.stringify(at.events)).not.toMatch(
    new RegExp(`${token}|secret|Lövelace|example\\.org|payments`),
  )
})
