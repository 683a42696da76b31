import { describe, expect, test } from 'bun:test'
import { kubernetesClient } from '#tests/support/kubernetes-client.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { Label, Subdomain } from '#src/lib/names.ts'
import type { ClusterFailure } from '#src/lib/ports/clusters.ts'
import { KubernetesPod } from '#src/lib/ports/kubernetes-objects.ts'
import { err, ok } from '#src/lib/result.ts'
import { apiServer } from '#tests/support/api-server.ts'
import { deployment, pod } from '#tests/domain/clusters/objects.ts'
import { AT, calls, clusters, list, LIST_PODS, NAME, PAGE, same } from './calls.ts'

const status = (code: number, message: string, more: ResponseInit = {}, details?: object) =>
  Response.json(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code, details },
    { status: code, ...more },
  )

const review = (answer: object) =>
  Response.json({ kind: 'SelfSubjectAccessReview', status: answer }, { status: 201 })

describe('what is asked', () => {
  const answers = (path: string) => {
    if (path.endsWith('/log')) return new Response('a line\n')
    if (path.endsWith(`/${NAME}`)) return Response.json(deployment())
    if (path.endsWith('/selfsubjectaccessreviews')) return review({ allowed: true })
    return list([])
  }

  test.each(calls)('%s sends the person’s token, and no other identity', async (_, call) => {
    await using server = await apiServer((__, { path }) => answers(path))
    expect((await call(server.access)) ?? { ok: true }).toMatchObject({ ok: true })
    expect(server.sent).toHaveLength(1)
    for (const { headers } of server.sent) {
      expect(headers['authorization']).toBe('Bearer the.users.token')
      expect([headers['audit-id'], headers['x-request-id']]).toStrictEqual([
        'the-request-id',
        'the-request-id',
      ])
      expect([headers['traceparent'], headers['tracestate']]).toStrictEqual([
        'the-trace',
        undefined,
      ])
      expect(
        Object.keys(headers).filter((name) => /^(?:impersonate|cookie|x-remote)/.test(name)),
      ).toStrictEqual([])
    }
  })

  test.each(calls)('%s sends nothing with what is no token', async (_, call) => {
    await using server = await apiServer(() => list([]))
    for (const token of [
      '',
      'two words',
      'a\r\nImpersonate-User: admin',
      'ä',
      'a'.repeat(20_000),
    ]) {
      expect(await call({ ...server.access, token })).toStrictEqual(
        err({ kind: 'cluster_unauthorized' }),
      )
    }
    expect(server.sent).toStrictEqual([])
  })

  test('a probe sends no credential', async () => {
    await using server = await apiServer((_, { path }) =>
      path === '/version' ? Response.json({ gitVersion: 'v1.34.2' }) : new Response('ok'),
    )
    expect(await clusters.probe(server.cluster)).toStrictEqual({
      kind: 'ready',
      version: 'v1.34.2',
    })
    expect(server.sent.map(({ path }) => path).toSorted()).toStrictEqual(['/readyz', '/version'])
    for (const { headers } of server.sent) expect(headers['authorization']).toBeUndefined()
  })

  test('a page of a list', async () => {
    const answer = list([pod()], { continue: 'more' })
    const { byteLength: bytes } = await answer.clone().bytes()
    await using server = await apiServer(() => answer)
    const query = { limit: 500, after: 'here', labelSelector: 'app in (a, b)' }
    expect(await clusters.pods.list(server.access, query, same)).toStrictEqual({
      ok: true,
      value: { items: [pod()], next: 'more', resourceVersion: '7', bytes },
    })
    expect(server.sent[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/namespaces/payments-dev/pods',
      query: { limit: '500', continue: 'here', labelSelector: 'app in (a, b)' },
    })
    expect(server.sent[0]?.query).not.toHaveProperty('resourceVersion')
  })

  test('a page with the one object of a name', async () => {
    await using server = await apiServer(() => list([pod()]))
    const query = { limit: 500, after: null, labelSelector: null, name: Subdomain.of('shop-1') }
    await clusters.pods.list(server.access, query, same)
    expect(server.sent[0]?.query).toStrictEqual({
      limit: '500',
      fieldSelector: 'metadata.name=shop-1',
    })
  })

  test.each([[[]], [null]])('the last page, with items %j', async (items) => {
    await using server = await apiServer(() =>
      Response.json({ metadata: { resourceVersion: '7', continue: '' }, items }),
    )
    expect(await clusters.deployments.list(server.access, PAGE, same)).toStrictEqual({
      ok: true,
      value: { items: [], next: null, resourceVersion: '7', bytes: expect.any(Number) as number },
    })
    expect(server.sent[0]?.path).toBe('/apis/apps/v1/namespaces/payments-dev/deployments')
  })

  test('a restart is a strategic merge patch of one annotation', async () => {
    await using server = await apiServer(() => Response.json(deployment()))
    await clusters.deployments.restart(server.access, NAME, AT)
    const [sent] = server.sent
    expect(sent).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/payments-dev/deployments/payments-api',
      query: { fieldManager: 'portico' },
    })
    expect(sent?.headers['content-type']).toBe('application/strategic-merge-patch+json')
    expect(JSON.parse(sent?.body ?? '')).toStrictEqual({
      spec: {
        template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': AT } } },
      },
    })
  })

  test('events of one pod, and a log as it is wanted', async () => {
    await using server = await apiServer((_, { path }) => answers(path))
    await clusters.events(
      server.access,
      { kind: 'Pod', name: NAME, uid: 'u-1' },
      { limit: 500, after: 'here' },
      same,
    )
    await clusters.events(server.access, null, { limit: 500, after: null }, same)
    await clusters.log(server.access, NAME, {
      container: Label.of('app'),
      follow: true,
      previous: true,
      tailLines: 0,
    })
    expect(server.sent.map(({ path, query }) => [path, query])).toStrictEqual([
      [
        '/api/v1/namespaces/payments-dev/events',
        {
          fieldSelector:
            'involvedObject.kind=Pod,involvedObject.name=payments-api,involvedObject.uid=u-1',
          limit: '500',
          continue: 'here',
        },
      ],
      ['/api/v1/namespaces/payments-dev/events', { limit: '500' }],
      [
        '/api/v1/namespaces/payments-dev/pods/payments-api/log',
        { container: 'app', follow: 'true', previous: 'true', tailLines: '0' },
      ],
    ])
  })
})

describe('a right', () => {
  test('is asked of the API server, for one action in one namespace', async () => {
    await using server = await apiServer(() => review({ allowed: true }))
    const action = { verb: 'patch', group: 'apps', resource: 'deployments' } as const
    const namespace = Label.of('payments-dev')
    expect(await clusters.mayDo(server.access, { ...action, namespace })).toStrictEqual(ok(true))
    await clusters.mayDo(server.access, { ...action, namespace: null })
    const [sent, everywhere] = server.sent
    expect(everywhere?.body).toContain('"namespace":""')
    expect(sent).toMatchObject({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      query: {},
    })
    expect(sent?.headers['content-type']).toBe('application/json')
    expect(JSON.parse(sent?.body ?? '')).toStrictEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          namespace: 'payments-dev',
          verb: 'patch',
          group: 'apps',
          resource: 'deployments',
        },
      },
    })
  })

  // prettier-ignore
  test.each([
    ['denied',                  { allowed: false, denied: true }, ok(false)],
    ['not known to any authorizer', { allowed: false, reason: '', evaluationError: 'role "x" not found' }, ok(false)],
    ['without an answer',       {}, err({ kind: 'cluster_error', reason: 'the answer has an unexpected shape' })],
    ['answered by a word',      { allowed: 'yes' }, err({ kind: 'cluster_error', reason: 'the answer has an unexpected shape' })],
  ] as const)('%s', async (_, answer, expected) => {
    await using server = await apiServer(() => review(answer))
    expect(await clusters.mayDo(server.access, LIST_PODS)).toStrictEqual(expected)
  })
})

test('names of namespaces, which are asked for at the cluster scope', async () => {
  const named = (name: string) => ({ metadata: { name } })
  await using server = await apiServer(() => list([named('a'), named('b')], { continue: 'more' }))
  expect(await clusters.namespaces(server.access, { limit: 2, after: 'here' })).toMatchObject(
    ok({ items: ['a', 'b'], next: 'more' }),
  )
  expect(server.sent).toMatchObject([
    { path: '/api/v1/namespaces', query: { limit: '2', continue: 'here' } },
  ])
})

test.each(calls)('%s says who asks, and for JSON unless it is a log', async (name, call) => {
  await using server = await apiServer(() => new Response('a line\n'))
  await call(server.access)
  expect(server.sent[0]?.headers).toMatchObject({
    accept: name === 'log' ? '*/*' : 'application/json',
    'user-agent': 'portico',
  })
  if (name === 'log') expect(server.sent[0]?.query).toStrictEqual({})
})

test('a log of a pod that no node has taken is empty', async () => {
  await using server = await apiServer(() => new Response(null, { status: 204 }))
  const query = { container: null, follow: true, previous: false, tailLines: null }
  const log = await clusters.log(server.access, NAME, query)
  expect(log.ok && (await new Response(log.value).text())).toBe('')
})

// prettier-ignore
test.each<[string, () => Response]>([
  ['more than was asked for', () => list(Array(3).fill(pod()))],
  ['a place to go on that is longer than a header may be', () => list([pod()], { continue: 'x'.repeat(4_097) })],
])('%s is no page', async (_, answer) => {
  await using server = await apiServer(answer)
  expect(await clusters.pods.list(server.access, { ...PAGE, limit: 2 }, same)).toStrictEqual(
    err({ kind: 'cluster_error', reason: 'the answer has an unexpected shape' }),
  )
})

describe('what an API server answers', () => {
  // prettier-ignore
  const answers: readonly [string, () => Response, ClusterFailure][] = [
    ['401',                    () => status(401, 'Unauthorized'),  { kind: 'cluster_unauthorized' }],
    ['403',                    () => status(403, 'pods is forbidden: User "dev"'), { kind: 'cluster_forbidden', message: 'pods is forbidden: User "dev"' }],
    ['403 with control signs', () => status(403, 'a\u001b[31m\nb'), { kind: 'cluster_forbidden', message: 'a [31m b' }],
    ['403 without a Status',   () => new Response('<html>', { status: 403 }), { kind: 'cluster_forbidden', message: '' }],
    ['404',                    () => status(404, 'not found'),     { kind: 'cluster_object_not_found', message: 'not found' }],
    ['409',                    () => status(409, 'modified'),      { kind: 'cluster_conflict', message: 'modified' }],
    ['410',                    () => status(410, 'too old'),       { kind: 'cluster_expired' }],
    ['400',                    () => status(400, 'bad selector'),  { kind: 'cluster_invalid', message: 'bad selector' }],
    ['422',                    () => status(422, 'invalid'),       { kind: 'cluster_invalid', message: 'invalid' }],
    ['400 of a proxy',         () => new Response('<html>bad', { status: 400 }), { kind: 'cluster_error', reason: 'status 400' }],
    ['429',                    () => status(429, 'slow', { headers: { 'retry-after': '17' } }), { kind: 'cluster_rate_limited', retryAfterSeconds: 17 }],
    ['429, told in the body',  () => status(429, 'slow', {}, { retryAfterSeconds: 9 }), { kind: 'cluster_rate_limited', retryAfterSeconds: 9 }],
    ['429, no word',           () => new Response('', { status: 429 }), { kind: 'cluster_rate_limited', retryAfterSeconds: 1 }],
    ['429, a date',            () => status(429, 'x', { headers: { 'retry-after': 'Fri, 31 Dec 2027 23:59:59 GMT' } }), { kind: 'cluster_rate_limited', retryAfterSeconds: 3_600 }],
    ['429, a year',            () => status(429, 'x', { headers: { 'retry-after': '999999' } }), { kind: 'cluster_rate_limited', retryAfterSeconds: 3_600 }],
    ['500 with HTML',          () => new Response('<html>oops', { status: 500, headers: { 'content-type': 'text/html' } }), { kind: 'cluster_error', reason: 'status 500' }],
    ['500',                    () => status(500, 'Get "https://10.0.0.5:10250/containerLogs/a": dial tcp 10.0.0.5:10250: connect: connection refused'), { kind: 'cluster_failed', message: 'Get "https://10.0.0.5:10250/containerLogs/a": dial tcp 10.0.0.5:10250: connect: connection refused' }],
    ['503',                    () => status(503, 'etcd', { headers: { 'retry-after': '3' } }), { kind: 'cluster_unavailable', retryAfterSeconds: 3 }],
    ['504',                    () => status(504, 'slow'),          { kind: 'cluster_timeout' }],
    ['a redirect',             () => new Response('', { status: 302, headers: { location: 'https://evil.example/' } }), { kind: 'cluster_error', reason: 'status 302' }],
  ]
  for (const [call, act] of calls) {
    test.each(answers)(`${call}: %s`, async (_, answer, expected) => {
      await using server = await apiServer(answer)
      expect(await act(server.access)).toStrictEqual(err(expected))
      expect(server.sent).toHaveLength(1)
    })
  }

  // prettier-ignore
  test.each<[string, () => Response, string]>([
    ['HTML for a list',       () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'the answer is no JSON'],
    ['broken JSON',           () => new Response('{"metadata":', { headers: { 'content-type': 'application/json' } }), 'the answer is broken JSON'],
    ['another object',        () => Response.json({ kind: 'Status' }), 'the answer has an unexpected shape'],
    ['a pod that is none',    () => list([{ metadata: { name: 1 } }]), 'the answer has an unexpected shape'],
    ['statuses that are none',() => list([{ ...pod(), status: { containerStatuses: 'all well' } }]), 'the answer has an unexpected shape'],
    ['no list at all',        () => Response.json(null), 'the answer has an unexpected shape'],
    ['more than it may be',   () => new Response(' '.repeat(5 * 1024 * 1024), { headers: { 'content-type': 'application/json' } }), 'more than 4194304 bytes'],
  ])('%s is an error, and no shorter list', async (_, answer, reason) => {
    await using server = await apiServer(answer)
    expect(await kubernetesClient().pods.list(server.access, PAGE, same)).toStrictEqual(
      err({ kind: 'cluster_error', reason }),
    )
  })
})

test('the check of a type is compiled once, however many requests ask for its collection', async () => {
  await using server = await apiServer(() => list([pod()]))
  let reads = 0
  const schema = new Proxy(KubernetesPod, {
    get(target, key) {
      reads += 1
      return Reflect.get(target, key) as unknown
    },
  })
  const listed = () =>
    clusters.objects({ ...RESOURCES.pod, schema }).list(server.access, PAGE, same)
  expect(await listed()).toMatchObject({ ok: true })
  const compiled = reads
  expect(await listed()).toMatchObject({ ok: true })
  expect([compiled > 0, reads]).toStrictEqual([true, compiled])
})
