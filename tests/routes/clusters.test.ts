import { describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { clearedSessionCookie } from '#src/lib/domain/access/sessions/session-cookie.ts'
import { Label } from '#src/lib/names.ts'
import { apiServer, clusterAt } from '#tests/support/api-server.ts'
import { deployment, is, pod } from '#tests/domain/clusters/objects.ts'
import {
  type Answer,
  DEPLOYMENTS,
  list,
  PODS,
  post,
  problemOf,
  RESTART,
  sharedWorld,
  status,
  world,
} from './cluster-world.ts'
import { auditRows } from '#tests/support/audit-rows.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const shared = sharedWorld()

describe('GET /api/v1/clusters', () => {
  test('shows the clusters of the caller’s groups, as they were last seen', async () => {
    const dark = await clusterAt('https://127.0.0.1:1', {
      id: Label.of('lab'),
      name: 'Lab',
      groups: ['platform-team'],
    })
    await using at = await world(
      (_, { path }) =>
        path === '/version' ? Response.json({ gitVersion: 'v1.34.2' }) : new Response('ok'),
      (one) => [{ ...one, groups: ['payments', 'platform-team'] }, dark],
    )
    const url = expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) as string
    const first = await (await at.get('/api/v1/clusters')).json()
    expect(first).toStrictEqual([
      {
        id: 'dev-east',
        name: 'Development East',
        apiServer: url,
        status: 'Unknown',
        statusReason: 'not_checked_yet',
        checkedAt: null,
        version: null,
      },
    ])
    await at.get('/api/v1/clusters', { as: 'platform' })
    const look = async () =>
      (await (await at.get('/api/v1/clusters', { as: 'platform' })).json()) as {
        readonly status: string
      }[]
    let seen = await look()
    while (seen.some(({ status }) => status === 'Unknown')) {
      await Bun.sleep(10)
      seen = await look()
    }
    expect(seen).toMatchObject([
      { id: 'dev-east', status: 'Ready', statusReason: null, version: 'v1.34.2' },
      {
        id: 'lab',
        name: 'Lab',
        apiServer: 'https://127.0.0.1:1',
        status: 'Unreachable',
        statusReason: 'connection_refused',
      },
    ])
    expect(await (await at.get('/api/v1/clusters', { as: 'outsider' })).json()).toStrictEqual([])
  })

  test('never waits for a cluster that does not answer', async () => {
    await using at = await world(() => new Promise(() => {}))
    await at.get('/api/v1/clusters')
    // Its probe is under way now.
    const second = await at.get('/api/v1/clusters')
    expect(await second.json()).toMatchObject([{ status: 'Unknown' }])
  })

  test('does not tell which groups may see what', async () => {
    await using at = await world(() => new Response('ok'))
    expect(await (await at.get('/api/v1/clusters')).text()).not.toContain('groups')
  })
})

describe('pods and deployments', () => {
  test('are a bare array of what may be shown, read with the caller’s own token', async () => {
    const canary = 'canary-of-an-environment-value'
    const given = {
      ...pod(
        {
          phase: 'Running',
          containerStatuses: [
            is('a', { waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 7 }),
          ],
        },
        {
          containers: [
            {
              name: 'a',
              image: 'shop:1',
              env: [{ name: 'X', value: canary }],
              args: [canary],
            } as never,
          ],
        },
        { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary } },
      ),
    }
    const at = await shared((_, { path }) =>
      path.endsWith('/pods')
        ? list([given])
        : list([
            deployment({ availableReplicas: 2, readyReplicas: 2, updatedReplicas: 2, replicas: 2 }),
          ]),
    )
    const pods = await at.get(PODS)
    expect(pods.status).toBe(200)
    expect(pods.headers.get('cache-control')).toBe('private, no-cache')
    expect(pods.headers.get('link')).toBeNull()
    const text = await pods.text()
    expect(text).not.toContain(canary)
    expect(JSON.parse(text)).toMatchObject([
      {
        name: 'shop-5d4f-x',
        status: 'CrashLoopBackOff',
        ready: { ready: 0, total: 1 },
        restarts: 7,
      },
    ])
    expect(await (await at.get(DEPLOYMENTS)).json()).toMatchObject([
      {
        name: 'shop',
        status: 'Available',
        statusMessage: 'deployment "shop" successfully rolled out',
      },
    ])
    await at.get(PODS, { as: 'dev' })
    for (const { headers } of at.sent) {
      const { sub, aud } = decodeJwt((headers['authorization'] ?? '').slice('Bearer '.length))
      expect([sub, aud]).toStrictEqual(['dev', 'portico'])
    }
  })

  test('are never shared between people', async () => {
    await using at = await world(
      () => list([]),
      (one) => [{ ...one, groups: ['*'] }],
    )
    await Promise.all(
      (['dev', 'manager', 'platform', 'outsider'] as const).map((as) => at.get(PODS, { as })),
    )
    const people = at.sent.map(
      ({ headers }) => decodeJwt((headers['authorization'] ?? '').slice(7)).sub,
    )
    expect(new Set(people)).toStrictEqual(new Set(['dev', 'manager', 'outsider', 'platform']))
    expect(people).toHaveLength(4)
  })

  test('the one of a name', async () => {
    await using at = await world(() => list([pod()]))
    expect(await (await at.get(`${PODS}?name=shop-1`)).json()).toHaveLength(1)
    expect(at.sent[0]?.query).toMatchObject({ fieldSelector: 'metadata.name=shop-1' })
  })

  test('a cursor of another cluster, namespace, kind or selector is refused', async () => {
    await using at = await world(
      (_, { query }) =>
        list(
          Array.from({ length: 500 }, () => pod()),
          { continue: String(Number(query['continue'] ?? 0) + 1) },
        ),
      (one) => [one, { ...one, id: Label.of('other') }],
    )
    const first = await at.get(PODS)
    const [, cursor = ''] = /cursor=([^&>]+)/.exec(first.headers.get('link') ?? '') ?? []
    const { length } = at.sent
    for (const path of [
      `${PODS.replace('dev-east', 'other')}?cursor=${cursor}`,
      `${PODS.replace('payments-dev', 'payments')}?cursor=${cursor}`,
      `${DEPLOYMENTS}?cursor=${cursor}`,
      `${PODS}?labelSelector=app%3Dx&cursor=${cursor}`,
      `${PODS}?name=shop-1&cursor=${cursor}`,
      `${PODS}?cursor=nonsense`,
    ]) {
      expect([path, (await at.get(path)).status]).toStrictEqual([path, 422])
    }
    expect(at.sent).toHaveLength(length)
    await at.get(`${PODS}?cursor=${cursor}`)
    expect(at.sent.length).toBeGreaterThan(length)
  })

  test.each([
    ['/api/v1/clusters/dev-east/namespaces/../pods', 404],
    ['/api/v1/clusters/dev-east/namespaces/%2e%2e/pods', 404],
    ['/api/v1/clusters/dev-east/namespaces/%252e%252e/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/a%2fb/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/a%00b/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/%ff/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/Payments/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/-a/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/a%3Fx=1/pods', 422],
    [`/api/v1/clusters/dev-east/namespaces/${'a'.repeat(64)}/pods`, 422],
    [`/api/v1/clusters/${'a'.repeat(64)}/namespaces/a/pods`, 422],
    ['/api/v1/clusters/Dev-East/namespaces/a/pods', 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods/..%2fsecrets/log', 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods/a..b/log', 422],
    [`/api/v1/clusters/dev-east/namespaces/a/pods/${'a'.repeat(254)}/events`, 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods/a/log?container=..%2f', 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods/a/log?tailLines=-1', 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods/a/log?follow=yes', 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods?watch=1', 422],
    ['/api/v1/clusters/dev-east/namespaces/a/pods?name=a,metadata.namespace%3Db', 422],
    [`/api/v1/clusters/dev-east/namespaces/a/pods?labelSelector=${'a'.repeat(1_025)}`, 422],
  ])('%s is refused, and no cluster is asked', async (path, expected) => {
    const at = await shared(() => list([]))
    expect((await at.get(path, { undocumented: true })).status).toBe(expected)
    expect(at.sent).toStrictEqual([])
  })

  test('a cluster that is not the caller’s is byte for byte one that does not exist', async () => {
    const at = await shared(() => list([]))
    const headers = { 'x-request-id': 'same' }
    const unseen = await at.get(PODS, { as: 'outsider', headers })
    const unknown = await at.get(PODS.replace('dev-east', 'no-such'), { as: 'outsider', headers })
    expect([unseen.status, unknown.status]).toStrictEqual([404, 404])
    const strip = async (response: Response) => ({
      headers: [...response.headers],
      body: (await response.text()).replace(/"instance":"[^"]*"/, ''),
    })
    expect(await strip(unseen)).toStrictEqual(await strip(unknown))
    expect(at.sent).toStrictEqual([])
  })
})

describe('what a cluster answers', () => {
  // prettier-ignore
  const answers: readonly [string, Answer, number, string, string | undefined, string | null][] = [
    ['401',       () => status(401, 'Unauthorized'),                   403, 'cluster_unauthorized', undefined, null],
    ['403',       () => status(403, 'User "dev" cannot list'),         403, 'cluster_forbidden',    'User "dev" cannot list', null],
    ['409',       () => status(409, 'modified'),                       409, 'cluster_conflict',     'modified', null],
    ['429',       () => status(429, 'x', { 'retry-after': '17' }),     429, 'rate_limited',         undefined, '17'],
    ['500, HTML', () => new Response('<html>s3cret', { status: 500 }), 502, 'cluster_error',        undefined, null],
    ['503',       () => status(503, 'x', { 'retry-after': '3' }),      503, 'cluster_unavailable',  undefined, '3'],
    ['504',       () => status(504, 'x'),                              504, 'cluster_timeout',      undefined, null],
    ['no JSON',   () => new Response('<html>s3cret'),                  502, 'cluster_error',        undefined, null],
  ]
  const reads = [PODS, DEPLOYMENTS, `${PODS}?watch=true`, `${PODS}/shop-1/events`] as const

  for (const path of reads) {
    test.each(answers)(`${path}: %s`, async (_, given, expected, code, detail, retryAfter) => {
      const at = await shared(given)
      const response = await at.get(path)
      expect(response.headers.get('retry-after')).toBe(retryAfter)
      expect(response.clone().text()).resolves.not.toContain('s3cret')
      expect(await problemOf(response)).toStrictEqual({ status: expected, code, detail })
    })
  }

  test.each(answers.filter(([name]) => name !== 'no JSON'))(
    'restart and log: %s',
    async (_, given, expected, code, detail) => {
      const at = await shared(given)
      const problem = { status: expected, code, detail }
      expect(await problemOf(await post(at.portal, RESTART))).toStrictEqual(problem)
      expect(await problemOf(await at.get(`${PODS}/shop-1/log`))).toStrictEqual(problem)
    },
  )

  test('silence is a time-out, whatever was asked', async () => {
    await using at = await world(() => new Promise(() => {}), undefined, { clusterDeadlineMs: 300 })
    const silent = [
      ...reads.map((path) => at.get(path)),
      post(at.portal, RESTART),
      at.get(`${PODS}/shop-1/log`),
    ]
    for (const response of await Promise.all(silent)) {
      expect(await problemOf(response)).toStrictEqual({
        status: 504,
        code: 'cluster_timeout',
        detail: undefined,
      })
    }
  })

  test('a list that was forgotten is 410, a selector that is none 422', async () => {
    const old = await shared(() => status(410, 'too old'))
    expect(await outcomeOf(await old.get(PODS))).toBe('410 cursor_expired')
    const bad = await shared(() => status(400, 'unable to parse'))
    const refused = await bad.get(`${PODS}?labelSelector=a%20b`)
    expect(await problemOf(refused)).toStrictEqual({
      status: 422,
      code: 'validation_failed',
      detail:
        'query/labelSelector: must be a label selector of Kubernetes, such as app.kubernetes.io/name=payments-api',
    })
  })

  test('what is not there is 404 by its name', async () => {
    const at = await shared(() => status(404, 'not found'))
    expect(await outcomeOf(await post(at.portal, RESTART))).toBe('404 deployment_not_found')
    expect(await outcomeOf(await at.get(`${PODS}/shop-1/log`))).toBe('404 pod_not_found')
    expect(await outcomeOf(await at.get(PODS))).toBe('502 cluster_error')
  })

  test('one cluster that hangs holds up no other', async () => {
    await using dark = await apiServer(() => new Promise(() => {}))
    await using at = await world(
      () => list([]),
      (one) => [one, { ...dark.cluster, id: Label.of('dark') }],
      { clusterDeadlineMs: 3_600_000 },
    )
    const leave = new AbortController()
    const { signal } = leave
    const path = PODS.replace('dev-east', 'dark')
    const hanging = Array.from({ length: 50 }, () => at.get(path, { signal }))
    // Before they are under way or in line, nobody would be in the way.
    while (dark.sent.length === 0) await Bun.sleep(1)
    await Bun.sleep(50)
    expect((await at.get(PODS)).status).toBe(200)
    leave.abort()
    await Promise.allSettled(hanging)
  })
})

describe('restart', () => {
  const restartable: Answer = (_, { method }) =>
    Response.json(
      deployment({ observedGeneration: 4 }, {}, { generation: method === 'PATCH' ? 5 : 4 }),
    )

  test('is 202, as the caller, and on record', async () => {
    await using at = await world(restartable)
    const response = await at.get(RESTART, { method: 'POST', from: '203.0.113.7' })
    expect(response.status).toBe(202)
    const restartedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string
    expect(await response.json()).toStrictEqual({
      cluster: 'dev-east',
      namespace: 'payments-dev',
      name: 'shop',
      restartedAt,
      generation: 5,
      observedGeneration: 4,
      alreadyRestarted: false,
    })
    expect(await auditRows(at.portal)).toMatchObject([
      {
        action: 'cluster.restart',
        target: 'deployment/dev-east/payments-dev/shop',
        result: 'done',
        actor: { subject: 'dev' },
        address: '203.0.113.7',
      },
    ])
  })

  test('of a paused deployment is 409, and nothing is patched', async () => {
    const at = await shared(() => Response.json(deployment({}, { paused: true })))
    expect(await outcomeOf(await post(at.portal, RESTART))).toBe('409 deployment_paused')
    expect(at.sent.map(({ method }) => method)).toStrictEqual(['GET'])
  })

  test('needs POST, and no cross-site one', async () => {
    const at = await shared(restartable)
    expect((await at.get(RESTART, { undocumented: true })).status).toBe(405)
    const cross = await at.portal.request(RESTART, {
      method: 'POST',
      as: 'dev',
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(cross.status).toBe(403)
    expect(at.sent).toStrictEqual([])
  })
})

test('a person without a token for clusters is told so', async () => {
  const at = await shared(() => list([]))
  await at.portal.signIn('manager', null)
  const response = await at.get(PODS, { as: 'manager' })
  at.portal.forget('manager')
  expect(await outcomeOf(response)).toBe('403 cluster_unauthorized')
})

test('when the identity provider does not know the sign-in any more, the session is over', async () => {
  await using at = await world(() => list([]))
  await at.get(PODS)
  at.portal.clock.advance(30 * 60_000)
  await at.get(PODS)
  at.portal.provider.failure = { kind: 'identity_rejected' }
  at.portal.clock.advance(30 * 60_000)
  const response = await at.get(PODS)
  expect(response.status).toBe(401)
  expect(response.headers.get('set-cookie')).toBe(clearedSessionCookie(false))
  expect(await problemOf(response)).toMatchObject({ code: 'session_invalid' })
})

test.each([
  [
    400,
    'a container name must be specified for pod shop-1, choose one of: [a b]',
    422,
    'cluster_invalid',
  ],
  [500, 'Get "https://10.0.0.5:10250/x": connect: connection refused', 502, 'cluster_error'],
])('what a kubelet says of a log is passed on: %d', async (given, message, expected, code) => {
  const at = await shared(() => status(given, message))
  expect(await problemOf(await at.get(`${PODS}/shop-1/log`))).toStrictEqual({
    status: expected,
    code,
    detail: message,
  })
})

describe('the events of a pod', () => {
  const event = (reason: string, lastTimestamp: string) => ({
    metadata: { name: reason, uid: reason },
    involvedObject: { uid: 'u-1', fieldPath: 'spec.containers{shop}' },
    reason,
    lastTimestamp,
  })
  const pages: Record<string, () => Response> = {
    first: () => list([event('BackOff', '2026-11-21T10:00:00Z')], { continue: 'more' }),
    more: () => list([event('Pulled', '2026-11-21T09:00:00Z')]),
  }
  const answer =
    (pod: () => Response): Answer =>
    (_, { path, query }) =>
      (path.endsWith('/events') ? (pages[query['continue'] ?? 'first'] ?? pod) : pod)()
  const PULLED_THEN_BACK_OFF = [
    { reason: 'Pulled', container: 'shop' },
    { reason: 'BackOff', container: 'shop' },
  ]

  // prettier-ignore
  test.each<[string, object, string]>([
    ['a pod',        {},                                                  'involvedObject.uid=u-1'],
    ['a static pod', { 'kubernetes.io/config.mirror': 'u-of-its-file' },  'involvedObject.uid=u-of-its-file'],
  ])('of %s: those of its uid, all pages, newest last', async (_, annotations, uid) => {
    const at = await shared(answer(() => Response.json(pod({}, {}, { annotations: { ...annotations } }))))
    const events = await at.get(`${PODS}/shop-1/events`)
    expect(await events.json()).toMatchObject(PULLED_THEN_BACK_OFF)
    expect(at.sent.slice(1).map(({ query }) => query['fieldSelector'])).toStrictEqual(
      Array(2).fill(`involvedObject.kind=Pod,involvedObject.name=shop-1,${uid}`),
    )
  })

  test('of a pod that is gone: those of its name', async () => {
    const at = await shared(answer(() => status(404, 'pods "shop-1" not found')))
    const events = await at.get(`${PODS}/shop-1/events`)
    expect(await events.json()).toMatchObject(PULLED_THEN_BACK_OFF)
    expect(at.sent.at(-1)?.query['fieldSelector']).toBe(
      'involvedObject.kind=Pod,involvedObject.name=shop-1',
    )
  })

  test('are not shown to people who may not read the pod', async () => {
    const at = await shared(answer(() => status(403, 'pods "shop-1" is forbidden')))
    expect((await at.get(`${PODS}/shop-1/events`)).status).toBe(403)
    expect(at.sent).toHaveLength(1)
  })
})
