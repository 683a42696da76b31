import { describe, expect, test } from 'bun:test'
import { createClusterTokens } from '#src/lib/domain/clusters/cluster-token.ts'
import type { SessionTokensFailure } from '#src/lib/domain/access/sessions/session-credentials.ts'
import type { AudienceToken, IdentityFailure, IdentityTokens } from '#src/lib/ports/identity.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterOf, sessionOf } from './cluster-request.ts'

const T0 = Date.UTC(2026, 10, 21)
const MINUTE = 60_000
const KEPT_MAX = 1_000

const PASSING = clusterOf('dev-east')
const EXCHANGING = clusterOf('prod-west', { auth: { mode: 'exchange', audience: 'k8s-prod' } })

const TOKENS: IdentityTokens = {
  idToken: 'the-id-token',
  idTokenExpiresAt: T0 + 40 * MINUTE,
  accessToken: 'the-access-token',
  refreshToken: null,
  expiresAt: T0 + 20 * MINUTE,
}

const CAUSE = { requestId: 'r', address: null }

type Exchanged = Result<AudienceToken, IdentityFailure>

/** The identity provider gives each access token one for the audience, or what a test answers in its place. */
function world(failure?: SessionTokensFailure) {
  const clock = { at: T0, now: () => clock.at }
  const needed: string[] = []
  const asked: string[] = []
  const answers = new Map<string, Promise<Exchanged>>()
  const tokens = createClusterTokens({
    sessionTokens: {
      async current({ tokens }, which) {
        needed.push(which)
        return failure === undefined ? ok(tokens ?? TOKENS) : err(failure)
      },
    },
    identity: {
      async exchange(accessToken) {
        asked.push(accessToken)
        const token = `${accessToken}-${asked.length}`
        return answers.get(accessToken) ?? ok({ token, expiresAt: clock.at + 10 * MINUTE })
      },
    },
    clock,
  })
  const tokenOf = (accessToken: string) =>
    tokens.tokenFor(EXCHANGING, sessionOf({ tokens: { ...TOKENS, accessToken } }), CAUSE)
  return { tokens, clock, needed, asked, answers, tokenOf }
}

const people = Array.from({ length: KEPT_MAX }, (_, index) => `person-${index}`)

describe('the token of the session that has to be good', () => {
  test.each([
    ['is the ID token, where it passes through', PASSING, 'idToken'],
    ['is the access token, where it is exchanged', EXCHANGING, 'accessToken'],
  ])('%s', async (_, cluster, which) => {
    const at = world()
    await at.tokens.tokenFor(cluster, sessionOf(), CAUSE)
    expect(at.needed).toStrictEqual([which])
  })

  test('is shown until its own end', async () => {
    const at = world()
    expect(await at.tokens.tokenFor(PASSING, sessionOf(), CAUSE)).toStrictEqual(
      ok({ token: 'the-id-token', expiresAt: T0 + 40 * MINUTE }),
    )
  })

  test('is why there is none, when it cannot be had', async () => {
    const at = world({ kind: 'identity_unreachable' })
    for (const cluster of [PASSING, EXCHANGING]) {
      expect(await at.tokens.tokenFor(cluster, sessionOf(), CAUSE)).toStrictEqual(
        err({ kind: 'identity_unreachable' }),
      )
    }
    expect(at.asked).toStrictEqual([])
  })
})

describe('exchanged tokens are kept', () => {
  test('a thousand of them; then the one that was made first goes', async () => {
    const at = world()
    for (const each of people) await at.tokenOf(each)
    for (const each of people) await at.tokenOf(each)
    expect(at.asked).toHaveLength(KEPT_MAX)
    await at.tokenOf('one-more')
    for (const each of people.slice(1)) await at.tokenOf(each)
    expect(at.asked).toHaveLength(KEPT_MAX + 1)
    await at.tokenOf('person-0')
    expect(at.asked.at(-1)).toBe('person-0')
  })

  test('from when they were made anew', async () => {
    const at = world()
    await at.tokenOf('ada')
    for (const each of people.slice(2)) await at.tokenOf(each)
    at.clock.at += 9.6 * MINUTE
    await at.tokenOf('ada')
    for (const each of ['one', 'more']) await at.tokenOf(each)
    const count = at.asked.length
    await at.tokenOf('ada')
    expect(at.asked).toHaveLength(count)
  })

  test('until the cluster refuses one, and then the others still are', async () => {
    const at = world()
    await at.tokenOf('ada')
    await at.tokenOf('eve')
    expect(at.tokens.forget(EXCHANGING, 'ada-1')).toBe(true)
    expect(await at.tokenOf('eve')).toMatchObject({ value: { token: 'eve-2' } })
    expect(await at.tokenOf('ada')).toMatchObject({ value: { token: 'ada-3' } })
  })

  test('whatever becomes of one that was asked for before, and had to go', async () => {
    const at = world()
    const slow = Promise.withResolvers<Exchanged>()
    at.answers.set('ada', slow.promise)
    const first = at.tokenOf('ada')
    for (const each of people) await at.tokenOf(each)
    at.answers.delete('ada')
    const second = await at.tokenOf('ada')
    slow.resolve(err({ kind: 'identity_timeout' }))
    expect(await first).toStrictEqual(err({ kind: 'identity_timeout' }))
    expect(await at.tokenOf('ada')).toStrictEqual(second)
  })
})
