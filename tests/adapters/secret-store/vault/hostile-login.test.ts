import { describe, expect, test } from 'bun:test'
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

test('a store that refuses every token is one new login per call', async () => {
  using store = startStore({ 'auth/approle/login': issued(AUTH) })
  const at = openCalls(store.url.origin, { service: APPROLE })
  for (let calls = 0; calls < 5; calls += 1) {
    expect(await at.read(OPEN)).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_denied', what: `read on ${OPEN}` },
    })
  }
  expect(at.count('auth/approle/login')).toBeLessThanOrEqual(2)
})

test('a renewal that is not answered as documented is tried again, and told once', async () => {
  let lease: unknown = 'canary'
  using store = startStore({
    'auth/approle/login': issued(AUTH),
    'auth/token/renew-self': () => Response.json({ auth: { ...AUTH, lease_duration: lease } }),
    [OPEN]: () => Response.json({}),
  })
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
})

test('calls that end while a login is under way revoke it', async () => {
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
  const at = openCalls(store.url.origin, { service: APPROLE })
  const reading = at.read(OPEN)
  await reached.promise
  const closing = at.calls.close()
  goOn.resolve()
  await Promise.all([reading, closing])
  expect(revoked).toStrictEqual([AUTH.client_token])
  expect(at.timers()).toStrictEqual([])
})
