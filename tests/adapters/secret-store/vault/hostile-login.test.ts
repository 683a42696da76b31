import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVaultClient } from '#src/lib/adapters/secret-store/vault/api/create-client.ts'
import { createPersonTokens } from '#src/lib/adapters/secret-store/vault/login/person-tokens.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import type { ServiceLogin } from '#src/lib/adapters/secret-store/vault/login/method.ts'
import { OPEN, openCalls, textCredential } from './open-calls.ts'

const APPROLE: ServiceLogin = {
  kind: 'approle',
  mount: 'approle',
  roleId: 'canary-role',
  secretId: textCredential('canary-secret'),
}
const AUTH = { client_token: 's.canary-token', lease_duration: 3_600, renewable: true }

type Answers = Readonly<Record<string, () => Response>>

/** A store that answers as it is told; everything else is a 403. */
function startStore(answers: Answers) {
  return Bun.serve({
    port: 0,
    fetch: ({ url }) =>
      answers[new URL(url).pathname.slice('/v1/'.length)]?.() ??
      Response.json({ errors: ['permission denied'] }, { status: 403 }),
  })
}

const issued = (auth: unknown) => () => Response.json({ auth })

describe('answers to a login that are not as documented', () => {
  test.each([
    ['no body', () => new Response(null, { status: 204 })],
    ['no auth', issued(null)],
    ['a list', issued([])],
    ['no token', issued({ ...AUTH, client_token: undefined })],
    ['a token that is a number', issued({ ...AUTH, client_token: 7 })],
    ['an empty token', issued({ ...AUTH, client_token: '' })],
    ['a token with a line break', issued({ ...AUTH, client_token: 's.a\r\nx-canary: b' })],
    ['a token of several words', issued({ ...AUTH, client_token: 's.a s.b' })],
    ['an endless token', issued({ ...AUTH, client_token: 's'.repeat(9_000) })],
    ['no lease', issued({ ...AUTH, lease_duration: undefined })],
    ['a negative lease', issued({ ...AUTH, lease_duration: -1 })],
    ['a lease for ever and ever', issued({ ...AUTH, lease_duration: 1e12 })],
    ['a lease of a fraction', issued({ ...AUTH, lease_duration: 1.5 })],
    ['a lease that is text', issued({ ...AUTH, lease_duration: '3600' })],
    ['a lease without a word about renewals', issued({ ...AUTH, renewable: 'yes' })],
  ])('%s', async (_, answer) => {
    using store = startStore({ 'auth/approle/login': answer })
    const at = openCalls(store.url.origin, { service: APPROLE })
    expect(await at.read(OPEN)).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_error', reason: 'login at auth/approle: no usable token' },
    })
    expect(at.timers()).toStrictEqual([])
    expect(at.count(OPEN)).toBe(0)
  })

  test('an answer without end', async () => {
    const huge = issued({ ...AUTH, padding: 'canary'.repeat(500_000) })
    using store = startStore({ 'auth/approle/login': huge })
    const at = openCalls(store.url.origin, { service: APPROLE })
    const outcome = await at.read(OPEN)
    expect(outcome.ok).toBe(false)
    expect(JSON.stringify(outcome)).not.toContain('canary')
  })
})

test('a refusal that quotes everything it was sent reaches neither failures nor the log', async () => {
  const quoting = () =>
    Response.json(
      { errors: ['role "canary-role" is bad, canary-secret', 'canary claim "canary"'] },
      { status: 400 },
    )
  using store = startStore({ 'auth/approle/login': quoting, 'auth/jwt/login': quoting })
  const at = openCalls(store.url.origin, {
    service: APPROLE,
    persons: { mount: 'jwt', role: 'people' },
  })
  const outcomes = [
    await at.read(OPEN),
    await at.read(OPEN, { kind: 'person', idToken: 'canary.id.token' }),
  ]
  expect(outcomes).toMatchObject([
    { ok: false, error: { kind: 'secret_store_denied' } },
    { ok: false, error: { kind: 'secret_store_unauthorized' } },
  ])
  expect(JSON.stringify([outcomes, at.lines])).not.toContain('canary')
})

test('refused logins are repeated so seldom that the store forgets them in between', async () => {
  using store = startStore({})
  const at = openCalls(store.url.origin, { service: APPROLE })
  const minutes: number[] = []
  for (let quarters = 0; quarters < 4 * 60; quarters += 1) {
    const before = at.count('auth/approle/login')
    await at.read(OPEN)
    if (at.count('auth/approle/login') > before) minutes.push(quarters / 4)
    at.pass(15_000)
  }
  expect(minutes).toStrictEqual([0, 0.25, 1.25, 5.25, 21.25, 37.25, 53.25])
})

test('a lease of no seconds has no end', async () => {
  using store = startStore({
    'auth/approle/login': issued({ ...AUTH, lease_duration: 0 }),
    [OPEN]: () => Response.json({}),
  })
  const at = openCalls(store.url.origin, { service: APPROLE })
  expect(await at.read(OPEN)).toMatchObject({ ok: true })
  at.pass(1e12)
  expect(await at.read(OPEN)).toMatchObject({ ok: true })
  expect(at.count('auth/approle/login')).toBe(1)
  expect(at.timers()).toStrictEqual([])
})

test('a lease of a second is not renewed without a pause', async () => {
  using store = startStore({
    'auth/approle/login': issued({ ...AUTH, lease_duration: 1 }),
    [OPEN]: () => Response.json({}),
  })
  const at = openCalls(store.url.origin, { service: APPROLE })
  await at.read(OPEN)
  expect(at.timers()).toStrictEqual([1_000])
})

test('a lease of a year is renewed every day: timers end before', async () => {
  using store = startStore({
    'auth/approle/login': issued({ ...AUTH, lease_duration: 366 * 86_400 }),
    [OPEN]: () => Response.json({}),
  })
  const at = openCalls(store.url.origin, { service: APPROLE })
  await at.read(OPEN)
  expect(at.timers()).toStrictEqual([86_400_000])
})

test('a store that refuses every token is one new login for all calls', async () => {
  using store = startStore({ 'auth/approle/login': issued(AUTH) })
  const at = openCalls(store.url.origin, { service: APPROLE })
  for (let calls = 0; calls < 5; calls += 1) {
    expect(await at.read(OPEN)).toMatchObject({
      ok: false,
      error: { kind: 'secret_store_denied', what: expect.stringContaining(`read on ${OPEN}`) },
    })
  }
  expect(at.count('auth/approle/login')).toBe(2)
})

describe('renewals', () => {
  /** A login with a lease of an hour, and a renewal with what `renewal` says. */
  function startRenewing(renewal: () => unknown) {
    return startStore({
      'auth/approle/login': issued(AUTH),
      'auth/token/renew-self': () => Response.json(renewal()),
      [OPEN]: () => Response.json({}),
    })
  }

  test('that are not answered as documented are tried again, and told once', async () => {
    let lease: unknown = 'canary'
    using store = startRenewing(() => ({ auth: { ...AUTH, lease_duration: lease } }))
    const at = openCalls(store.url.origin, { service: APPROLE })
    await at.read(OPEN)
    await at.fire()
    await at.fire()
    expect(at.lines.map(({ level }) => level)).toStrictEqual(['warn'])
    expect(JSON.stringify(at.lines)).not.toContain('canary')
    lease = 3_600
    await at.fire()
    expect(at.timers()).toStrictEqual([2_400_000])
    expect(at.count('auth/approle/login')).toBe(1)
    lease = -1
    await at.fire()
    expect(at.lines).toHaveLength(2)
  })

  test('that the store says it has capped are the last ones', async () => {
    let warning = 'canary of another kind'
    using store = startRenewing(() => ({ auth: AUTH, warnings: [warning] }))
    const at = openCalls(store.url.origin, { service: APPROLE })
    await at.read(OPEN)
    await at.fire()
    expect(at.lines).toStrictEqual([])
    warning =
      'TTL of "canary" exceeded the effective max_ttl of "1h"; TTL value is capped accordingly'
    await at.fire()
    expect(at.lines.map(({ level }) => level)).toStrictEqual(['info'])
    expect(JSON.stringify(at.lines)).not.toContain('canary')
    await at.fire()
    expect(at.count('auth/token/renew-self')).toBe(2)
    expect(at.count('auth/approle/login')).toBe(2)
  })

  test('of no seconds are a new login', async () => {
    using store = startRenewing(() => ({ auth: { ...AUTH, lease_duration: 0 } }))
    const at = openCalls(store.url.origin, { service: APPROLE })
    await at.read(OPEN)
    await at.fire()
    expect(at.count('auth/approle/login')).toBe(2)
  })

  test('that are overtaken by another token change nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-token-'))
    const path = join(folder, 'token')
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    using store = Bun.serve({
      port: 0,
      async fetch({ url }) {
        if (url.endsWith('/lookup-self')) {
          return Response.json({ data: { ttl: 3_600, expire_time: 'later', renewable: true } })
        }
        if (!url.endsWith('/renew-self')) return Response.json({})
        reached.resolve()
        await goOn.promise
        return Response.json({ auth: AUTH })
      },
    })
    const at = openCalls(store.url.origin, {
      service: { kind: 'token', token: { kind: 'file', variable: 'VAULT_TOKEN_FILE', path } },
    })
    await writeFile(path, 's.first')
    await at.read(OPEN)
    const fired = at.fire()
    await reached.promise
    await writeFile(path, 's.second')
    await at.read(OPEN)
    goOn.resolve()
    await fired
    await at.read(OPEN)
    expect(at.count('auth/token/lookup-self')).toBe(2)
    expect(at.timers()).toHaveLength(1)
    await at.calls.close()
    await rm(folder, { recursive: true })
  })
})

describe('the end', () => {
  const ADA = { kind: 'person', idToken: 'ada' } as const
  const PERSONS = { service: APPROLE, persons: { mount: 'jwt', role: 'people' } }

  test.each([
    ['the service', SERVICE],
    ['a person', ADA],
  ])('during a login of %s revokes its token', async (_, actor) => {
    const revoked: (string | null)[] = []
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    using store = Bun.serve({
      port: 0,
      async fetch({ url, headers }) {
        if (url.endsWith('/login')) {
          reached.resolve()
          await goOn.promise
          return Response.json({ auth: AUTH })
        }
        if (url.endsWith('/revoke-self')) revoked.push(headers.get('x-vault-token'))
        return new Response(null, { status: 204 })
      },
    })
    const at = openCalls(store.url.origin, PERSONS)
    const reading = at.read(OPEN, actor)
    await reached.promise
    const closing = at.calls.close()
    goOn.resolve()
    await Promise.all([reading, closing])
    expect(revoked).toStrictEqual([AUTH.client_token])
    expect(at.timers()).toStrictEqual([])
  })

  test('during a renewal starts no login', async () => {
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    using store = Bun.serve({
      port: 0,
      async fetch({ url }) {
        if (!url.endsWith('/renew-self')) return Response.json({ auth: AUTH })
        reached.resolve()
        await goOn.promise
        return Response.json({ errors: ['permission denied'] }, { status: 403 })
      },
    })
    const at = openCalls(store.url.origin, { service: APPROLE })
    await at.read(OPEN)
    at.runTimer()
    await reached.promise
    await at.calls.close()
    goOn.resolve()
    await at.settled()
    expect(at.count('auth/approle/login')).toBe(1)
    expect(at.timers()).toStrictEqual([])
  })

  test('during a login in the background that is refused sets no timer', async () => {
    let logins = 0
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    using store = Bun.serve({
      port: 0,
      async fetch({ url }) {
        if (!url.endsWith('/login')) return Response.json({})
        logins += 1
        if (logins === 1) return Response.json({ auth: { ...AUTH, renewable: false } })
        reached.resolve()
        await goOn.promise
        return Response.json({ errors: ['invalid role or secret ID'] }, { status: 400 })
      },
    })
    const at = openCalls(store.url.origin, { service: APPROLE })
    await at.read(OPEN)
    at.runTimer()
    await reached.promise
    const closing = at.calls.close()
    goOn.resolve()
    await closing
    await at.settled()
    expect(at.timers()).toStrictEqual([])
    expect(at.lines).toStrictEqual([])
  })

  test('does not ask a store on and on that revokes nothing', async () => {
    using store = startStore({
      'auth/jwt/login': issued(AUTH),
      'auth/token/revoke-self': () => Response.json({}, { status: 500 }),
      [OPEN]: () => Response.json({}),
    })
    const at = openCalls(store.url.origin, PERSONS)
    for (let persons = 0; persons < 20; persons += 1) {
      await at.read(OPEN, { kind: 'person', idToken: `person-${persons}` })
    }
    await at.calls.close()
    expect(at.count('auth/token/revoke-self')).toBeLessThan(20)
  })

  test('waits three seconds for a store that hangs', async () => {
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    using store = Bun.serve({
      port: 0,
      async fetch({ url }) {
        if (!url.endsWith('/revoke-self')) return Response.json({ auth: AUTH })
        reached.resolve()
        await goOn.promise
        return new Response(null, { status: 204 })
      },
    })
    const at = openCalls(store.url.origin, { service: APPROLE })
    await at.read(OPEN)
    const closing = at.calls.close()
    await reached.promise
    expect(at.timers()).toStrictEqual([3_000])
    at.runTimer()
    await closing
    goOn.resolve()
  })
})

test.each([
  ['nothing', {}],
  ['a lease that is text', { ttl: '3600', expire_time: 'later', renewable: true }],
  ['a negative lease', { ttl: -1, expire_time: 'later', renewable: true }],
  ['an end that is a number', { ttl: 1, expire_time: 7, renewable: true }],
])('a look at a given token that shows %s', async (_, data) => {
  using store = startStore({ 'auth/token/lookup-self': () => Response.json({ data }) })
  const at = openCalls(store.url.origin, {
    service: { kind: 'token', token: textCredential('s.canary') },
  })
  expect(await at.read(OPEN)).toStrictEqual({
    ok: false,
    error: {
      kind: 'secret_store_error',
      reason: 'auth/token/lookup-self was answered with 200, not as documented',
    },
  })
})

test('the token of the person who was away longest is forgotten', async () => {
  let logins = 0
  using store = startStore({
    'auth/jwt/login': () => {
      logins += 1
      return Response.json({ auth: { ...AUTH, client_token: `s.${logins}` } })
    },
  })
  const client = createVaultClient({
    addresses: [store.url],
    namespace: null,
    authority: null,
    log: silentLog,
    clock: systemClock,
  })
  const login = { mount: 'jwt', role: 'people' }
  const persons = createPersonTokens({ client, login, clock: systemClock, personsMax: 2 })
  for (const idToken of ['a', 'b', 'a', 'c', 'a', 'b']) await persons.of(idToken).current()
  expect(logins).toBe(4)
  await persons.close()
})
