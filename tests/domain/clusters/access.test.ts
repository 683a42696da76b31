import { describe, expect, test } from 'bun:test'
import {
  type ClusterRequest,
  createAccess,
  type GrantedAccess,
  maySee,
} from '#src/lib/domain/clusters/access.ts'
import { createClusterTokens } from '#src/lib/domain/clusters/cluster-token.ts'
import type { SessionLookup, Session } from '#src/lib/domain/access/sessions/sessions.ts'
import { Label } from '#src/lib/names.ts'
import type { Cluster, ClusterFailure } from '#src/lib/ports/clusters.ts'
import type {
  AudienceToken,
  Groups,
  IdentityFailure,
  IdentityTokens,
} from '#src/lib/ports/identity.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterRequest, clusterOf, known, person, sessionOf } from './cluster-request.ts'

const T0 = Date.UTC(2026, 10, 21)
const MINUTE = 60_000

const DEV = clusterOf('dev-east', { groups: ['payments', 'platform-team'] })
const PROD = clusterOf('prod-west', {
  groups: ['payments'],
  auth: { mode: 'exchange', audience: 'k8s-prod' },
})
const OTHER = clusterOf('prod-east', {
  groups: ['payments'],
  auth: { mode: 'exchange', audience: 'k8s-other' },
})
const NOBODY = clusterOf('nobody', { groups: [] })
const ALL = clusterOf('all', { groups: ['*'] })

const TOKENS: IdentityTokens = {
  idToken: 'the-id-token',
  idTokenExpiresAt: T0 + 60 * MINUTE,
  accessToken: 'the-access-token',
  refreshToken: null,
  expiresAt: T0 + 20 * MINUTE,
}

const signedIn = (groups: Groups, tokens = TOKENS): Session =>
  sessionOf({
    principal: person('s', groups),
    tokens,
    createdAt: T0,
    seenAt: T0,
    expiresAt: T0 + 600 * MINUTE,
  })

function world(exchanges: (Result<AudienceToken, IdentityFailure> | 'bug')[] = []) {
  const clock = { at: T0, now: () => clock.at }
  const asked: [string, string][] = []
  const shown: string[] = []
  const logged: object[] = []
  const granted: GrantedAccess[] = []
  const tokens = createClusterTokens({
    sessionTokens: { current: async ({ tokens }) => ok(tokens ?? TOKENS) },
    identity: {
      async exchange(accessToken, audience) {
        asked.push([accessToken, audience])
        const next = exchanges[asked.length - 1]
        if (next === 'bug') throw new TypeError('a bug')
        return next ?? ok({ token: `exchanged-${asked.length}`, expiresAt: clock.at + 10 * MINUTE })
      },
    },
    clock,
  })
  const now: { session: SessionLookup } = { session: { kind: 'invalid' } }
  const { withAccess, mayContinue } = createAccess({
    registry: () => [DEV, PROD, OTHER, NOBODY, ALL],
    sessions: { reread: async () => now.session },
    tokens,
    kubernetes: { aheadMs: () => 0 },
    clock,
    log: (event) => void logged.push(event),
  })
  const enter = (
    cluster: Cluster['id'],
    session: Session,
    answer: (token: string) => Result<string, ClusterFailure> = (token) => ok(token),
    more: Partial<ClusterRequest> = {},
  ) =>
    withAccess(clusterRequest({ session, cluster, ...more }), async (access) => {
      shown.push(access.token)
      granted.push(access)
      return answer(access.token)
    })
  return { clock, asked, shown, logged, granted, now, enter, mayContinue }
}

const payments = signedIn(known('payments'))
const notFound = err({ kind: 'cluster_not_found' })
const unauthorized = err({ kind: 'cluster_unauthorized' } as const)

describe('who may see a cluster', () => {
  // prettier-ignore
  test.each<[string, Groups, Cluster, boolean]>([
    ['a group of it',          known('payments'),           DEV,    true],
    ['one of several',         known('x', 'platform-team'), DEV,    true],
    ['another group',          known('shipping'),           DEV,    false],
    ['another case',           known('Payments'),           DEV,    false],
    ['a longer name',          known('payments:Managers'),  DEV,    false],
    ['no group',               known(),                     DEV,    false],
    ['unknown groups',         { kind: 'unknown', reason: 'missing' },         DEV,    false],
    ['a cluster of nobody',    known('payments', '*'),      NOBODY, false],
    ['a cluster of everybody', known(),                     ALL,    true],
    ['everybody, unknown',     { kind: 'unknown', reason: 'missing' },         ALL,    true],
    ['a group called *',       known('*'),                  DEV,    false],
  ])('%s', (_, groups, cluster, expected) => {
    expect(maySee(signedIn(groups).principal, cluster)).toBe(expected)
  })

  test('one that is not theirs is as one that does not exist, and no token is made', async () => {
    const at = world()
    const stranger = signedIn(known('shipping'))
    expect(await at.enter(PROD.id, stranger)).toStrictEqual(notFound)
    expect(await at.enter(Label.of('no-such'), stranger)).toStrictEqual(notFound)
    expect([at.asked, at.shown]).toStrictEqual([[], []])
  })
})

describe('who may go on seeing a cluster', () => {
  // prettier-ignore
  test.each<[string, SessionLookup, boolean]>([
    ['who is still signed in',              { kind: 'active', session: payments },                   true],
    ['who is in other groups by now',       { kind: 'active', session: signedIn(known('shipping')) }, false],
    ['who has signed out',                  { kind: 'invalid' },                                     false],
    ['of whom nothing is known now',        { kind: 'unavailable' },                                 true],
  ])('%s', async (_, session, expected) => {
    const at = world()
    at.now.session = session
    expect(await at.mayContinue({ session: payments }, DEV)).toBe(expected)
  })

  test.each<[string, Cluster]>([
    ['is gone', clusterOf('gone', { groups: ['payments'] })],
    ['is another one by now', { ...DEV, apiServer: 'https://127.0.0.1:2' }],
  ])('nobody, when the cluster %s', async (_, cluster) => {
    const at = world()
    at.now.session = { kind: 'active', session: payments }
    expect(await at.mayContinue({ session: payments }, cluster)).toBe(false)
    at.now.session = { kind: 'unavailable' }
    expect(await at.mayContinue({ session: payments }, cluster)).toBe(false)
  })
})

describe('which token a cluster is shown', () => {
  test('the ID token itself, where it passes through', async () => {
    const at = world()
    expect(await at.enter(DEV.id, payments)).toStrictEqual(ok('the-id-token'))
    expect(at.asked).toStrictEqual([])
  })

  test('one for its audience, made of the access token, and asked for once', async () => {
    const at = world()
    const all = await Promise.all(Array.from({ length: 20 }, () => at.enter(PROD.id, payments)))
    for (const each of all) expect(each).toStrictEqual(ok('exchanged-1'))
    expect(at.asked).toStrictEqual([['the-access-token', 'k8s-prod']])
  })

  test('never that of another cluster', async () => {
    const at = world()
    await at.enter(PROD.id, payments)
    await at.enter(OTHER.id, payments)
    expect(at.asked).toStrictEqual([
      ['the-access-token', 'k8s-prod'],
      ['the-access-token', 'k8s-other'],
    ])
    expect(at.shown).toStrictEqual(['exchanged-1', 'exchanged-2'])
  })

  test('never that of another person', async () => {
    const at = world()
    await at.enter(PROD.id, payments)
    await at.enter(PROD.id, signedIn(known('payments'), { ...TOKENS, accessToken: 'eves' }))
    expect(at.shown).toStrictEqual(['exchanged-1', 'exchanged-2'])
    expect(at.asked.at(-1)).toStrictEqual(['eves', 'k8s-prod'])
  })

  test.each([
    ['its own end', 9.6 * MINUTE, T0 + 60 * MINUTE],
    ['the end of what it was made of', 1.6 * MINUTE, T0 + 2 * MINUTE],
  ])('a new one shortly before %s', async (_, later, expiresAt) => {
    const at = world()
    const session = signedIn(known('payments'), { ...TOKENS, expiresAt })
    await at.enter(PROD.id, session)
    at.clock.at += later - 0.2 * MINUTE
    await at.enter(PROD.id, session)
    expect(at.shown).toStrictEqual(['exchanged-1', 'exchanged-1'])
    at.clock.at += 0.2 * MINUTE
    await at.enter(PROD.id, session)
    expect(at.shown.at(-1)).toBe('exchanged-2')
  })

  test.each<[string, Result<AudienceToken, IdentityFailure> | 'bug']>([
    ['a failure', err({ kind: 'identity_unreachable' })],
    ['a bug', 'bug'],
  ])('%s is not kept', async (_, first) => {
    const at = world([first])
    const failed = await at.enter(PROD.id, payments).catch(() => ({ ok: 'thrown' }))
    expect(failed).not.toMatchObject({ ok: true })
    expect(await at.enter(PROD.id, payments)).toStrictEqual(ok('exchanged-2'))
  })
})

test('a refused exchange is that cluster’s matter, and not the end of the sign-in', async () => {
  const at = world([err({ kind: 'identity_rejected' })])
  expect(await at.enter(PROD.id, payments)).toStrictEqual(err({ kind: 'identity_token_missing' }))
})

test.each([
  ['token', signedIn(known('payments'), { ...TOKENS, idTokenExpiresAt: T0 + 500 })],
  ['session', { ...payments, expiresAt: T0 + 500 }],
])('what is asked ends with the %s', async (_, session) => {
  const at = world()
  await at.enter(DEV.id, session)
  await at.enter(DEV.id, payments)
  const ended = () => at.granted.map((each) => [each.expired.aborted, each.signal.aborted])
  expect(ended().flat()).toStrictEqual(Array(4).fill(false))
  while (at.granted[0]?.expired.aborted === false) await Bun.sleep(5)
  expect(ended()).toStrictEqual([
    [true, true],
    [false, false],
  ])
})

test('what is asked ends with who waits for it, which is not the end of their right', async () => {
  const at = world()
  const leave = new AbortController()
  await at.enter(DEV.id, payments, ok, { signal: leave.signal })
  leave.abort()
  expect(at.granted.map(({ signal, expired }) => [signal.aborted, expired.aborted])).toStrictEqual([
    [true, false],
  ])
})

test('a token that has just ended opens nothing that lasts', async () => {
  const at = world()
  await at.enter(DEV.id, signedIn(known('payments'), { ...TOKENS, idTokenExpiresAt: T0 - 1 }))
  await Bun.sleep(5)
  expect(at.granted.map(({ signal }) => signal.aborted)).toStrictEqual([true])
})

test('what is asked is known to the cluster by its request', async () => {
  const at = world()
  await at.enter(DEV.id, payments, ok, { requestId: 'the-one' })
  expect(at.granted.map(({ requestId }) => requestId)).toStrictEqual(['the-one'])
})

describe('a cluster that does not accept the token', () => {
  test('is shown a fresh one, once', async () => {
    const at = world()
    const once = await at.enter(PROD.id, payments, (token) =>
      token === 'exchanged-1' ? unauthorized : ok(token),
    )
    expect(once).toStrictEqual(ok('exchanged-2'))
    expect(await at.enter(PROD.id, payments, () => unauthorized)).toStrictEqual(unauthorized)
    expect(at.shown).toStrictEqual(['exchanged-1', 'exchanged-2', 'exchanged-2', 'exchanged-3'])
  })

  test('is shown a fresh one by everybody who was refused at once', async () => {
    const at = world()
    const all = await Promise.all(
      Array.from({ length: 4 }, () =>
        at.enter(PROD.id, payments, (token) =>
          token === 'exchanged-1' ? unauthorized : ok(token),
        ),
      ),
    )
    for (const each of all) expect(each).toStrictEqual(ok('exchanged-2'))
  })

  test('is not asked again where there is no other', async () => {
    const at = world()
    expect(await at.enter(DEV.id, payments, () => unauthorized)).toStrictEqual(unauthorized)
    expect(at.shown).toStrictEqual(['the-id-token'])
  })

  test('what is broken is logged with its reason, what is refused is not', async () => {
    const at = world()
    const broken = [
      { kind: 'cluster_error', reason: 'status 500' },
      { kind: 'cluster_tls_error', reason: 'CERT_HAS_EXPIRED' },
    ] as const
    for (const failure of broken) await at.enter(DEV.id, payments, () => err(failure))
    await at.enter(DEV.id, payments, () => unauthorized)
    expect(at.logged).toStrictEqual(
      broken.map((failure) => ({ cluster: DEV.id, failure, requestId: 'r' })),
    )
  })

  test('so is an exchange that the identity provider does not answer as it should', async () => {
    const failure = { kind: 'identity_error', reason: 'invalid_client' } as const
    const at = world([err(failure)])
    await at.enter(PROD.id, payments)
    expect(at.logged).toStrictEqual([{ cluster: PROD.id, failure, requestId: 'r' }])
  })

  test('nor when it says something else', async () => {
    const at = world()
    const forbidden = err({ kind: 'cluster_forbidden', message: 'no' } as const)
    expect(await at.enter(PROD.id, payments, () => forbidden)).toStrictEqual(forbidden)
    expect(at.shown).toHaveLength(1)
  })
})
