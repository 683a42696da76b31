import { describe, expect, jest, test } from 'bun:test'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import type { ServiceLogin } from '#src/lib/adapters/secret-store/vault/login.ts'
import { OPEN, openCalls, textCredential } from './open-calls.ts'

const APPROLE: ServiceLogin = {
  kind: 'approle',
  mount: 'approle',
  roleId: 'canary-role',
  secretId: textCredential('canary-secret'),
}
const AUTH = { client_token: 's.canary-token', lease_duration: 3_600 }

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
  ])('%s', async (_, answer) => {
    using store = startStore({ 'auth/approle/login': answer })
    const at = openCalls(store.url.origin, { service: APPROLE })
    expect(await at.read(OPEN)).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_error', reason: 'login at auth/approle: no usable token' },
    })
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
    jest.useFakeTimers()
    try {
      const closing = at.calls.close()
      await reached.promise
      jest.advanceTimersByTime(3_000)
      await closing
    } finally {
      jest.useRealTimers()
    }
    goOn.resolve()
  })
})

test('the token that was not used for longest is forgotten', async () => {
  let logins = 0
  using store = startStore({
    'auth/jwt/login': () => issued({ ...AUTH, client_token: `s.${(logins += 1)}` })(),
    [OPEN]: () => Response.json({}),
  })
  const at = openCalls(store.url.origin, {
    service: APPROLE,
    persons: { mount: 'jwt', role: 'people' },
  })
  const read = (idToken: string) => at.read(OPEN, { kind: 'person', idToken })
  await read('ada')
  await read('eve')
  for (let persons = 0; persons < 499; persons += 1) {
    await read(`person-${persons}`)
    await read('ada')
  }
  expect(logins).toBe(501)
  await read('eve')
  expect(logins).toBe(502)
})
