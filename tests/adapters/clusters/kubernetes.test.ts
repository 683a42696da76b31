import { describe, expect, test } from 'bun:test'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { Label, Subdomain } from '#src/lib/names.ts'
import type { ClusterAccess, ClusterFailure, Clusters, ListQuery } from '#src/lib/ports/clusters.ts'
import { err } from '#src/lib/result.ts'
import {
  accessTo,
  apiServer,
  authority,
  clusterAt,
  otherAuthority,
} from '#tests/support/api-server.ts'
import { expired } from '#tests/support/certificates.ts'
import { deployment, pod } from '#tests/domain/clusters/objects.ts'

const DEADLINE_MS = 400
const clusters = createKubernetes({ deadlineMs: DEADLINE_MS })
const PAGE: ListQuery = { limit: 500, after: null, labelSelector: null }
const NAME = Subdomain.of('payments-api')
const same = <Item>(item: Item): Item => item
const AT = '2026-11-21T09:30:00Z'

const list = (items: readonly object[], metadata: object = {}) =>
  Response.json({ kind: 'List', metadata: { resourceVersion: '7', ...metadata }, items })
const status = (code: number, message: string, more: ResponseInit = {}, details?: object) =>
  Response.json(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code, details },
    { status: code, ...more },
  )
const lines = (...events: object[]) =>
  new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(''), {
    headers: { 'content-type': 'application/json' },
  })

/** Every method that asks with a person's token. */
const calls: readonly [string, (access: ClusterAccess, by?: Clusters) => Promise<unknown>][] = [
  ['pods', (access, by = clusters) => by.pods(access, PAGE, same)],
  ['deployments', (access, by = clusters) => by.deployments(access, PAGE, same)],
  ['deployment', (access, by = clusters) => by.deployment(access, NAME)],
  ['restart', (access, by = clusters) => by.restart(access, NAME, AT)],
  ['events', (access, by = clusters) => by.events(access, NAME)],
  [
    'log',
    (access, by = clusters) =>
      by.log(access, NAME, { container: null, follow: false, previous: false, tailLines: null }),
  ],
  [
    'watchPods',
    (access, by = clusters) =>
      last(by.watchPods(access, { resourceVersion: '7', labelSelector: null })),
  ],
  [
    'watchDeployments',
    (access, by = clusters) =>
      last(by.watchDeployments(access, { resourceVersion: '7', labelSelector: null })),
  ],
]

async function last<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  let found: Item | undefined
  for await (const item of items) found = item
  return found
}

describe('what is asked', () => {
  const answers = (path: string) => {
    if (path.endsWith('/log')) return new Response('a line\n')
    if (path.endsWith(`/${NAME}`)) return Response.json(deployment())
    return list([])
  }

  test.each(calls)('%s sends the person’s token, and no other identity', async (_, call) => {
    await using server = await apiServer((__, { path }) => answers(path))
    expect((await call(server.access)) ?? { ok: true }).toMatchObject({ ok: true })
    expect(server.sent).toHaveLength(1)
    for (const { headers } of server.sent) {
      expect(headers['authorization']).toBe('Bearer the.users.token')
      expect(headers['x-request-id']).toBe('the-request-id')
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
    await using server = await apiServer(() => list([pod()], { continue: 'more' }))
    const query = { limit: 500, after: 'here', labelSelector: 'app in (a, b)' }
    expect(await clusters.pods(server.access, query, same)).toStrictEqual({
      ok: true,
      value: { items: [pod()], next: 'more', resourceVersion: '7' },
    })
    expect(server.sent[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/namespaces/payments-dev/pods',
      query: { limit: '500', continue: 'here', labelSelector: 'app in (a, b)' },
    })
    expect(server.sent[0]?.query).not.toHaveProperty('resourceVersion')
  })

  test.each([[[]], [null]])('the last page, with items %j', async (items) => {
    await using server = await apiServer(() =>
      Response.json({ metadata: { resourceVersion: '7', continue: '' }, items }),
    )
    expect(await clusters.deployments(server.access, PAGE, same)).toStrictEqual({
      ok: true,
      value: { items: [], next: null, resourceVersion: '7' },
    })
    expect(server.sent[0]?.path).toBe('/apis/apps/v1/namespaces/payments-dev/deployments')
  })

  test('a restart is a strategic merge patch of one annotation', async () => {
    await using server = await apiServer(() => Response.json(deployment()))
    await clusters.restart(server.access, NAME, AT)
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
    await clusters.events(server.access, NAME)
    await clusters.log(server.access, NAME, {
      container: Label.of('app'),
      follow: true,
      previous: true,
      tailLines: 0,
    })
    expect(server.sent.map(({ path, query }) => [path, query])).toStrictEqual([
      [
        '/api/v1/namespaces/payments-dev/events',
        { fieldSelector: 'involvedObject.kind=Pod,involvedObject.name=payments-api', limit: '200' },
      ],
      [
        '/api/v1/namespaces/payments-dev/pods/payments-api/log',
        { container: 'app', follow: 'true', previous: 'true', tailLines: '0' },
      ],
    ])
  })
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
    ['429, a date',            () => status(429, 'x', { headers: { 'retry-after': 'Fri, 31 Dec 2027 23:59:59 GMT' } }), { kind: 'cluster_rate_limited', retryAfterSeconds: 1 }],
    ['429, a year',            () => status(429, 'x', { headers: { 'retry-after': '999999' } }), { kind: 'cluster_rate_limited', retryAfterSeconds: 3_600 }],
    ['500 with HTML',          () => new Response('<html>oops', { status: 500, headers: { 'content-type': 'text/html' } }), { kind: 'cluster_error', reason: 'status 500' }],
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
    ['another object',        () => Response.json({ kind: 'Status' }), 'the answer is not what was asked for'],
    ['a pod that is none',    () => list([{ metadata: { name: 1 } }]), 'the answer is not what was asked for'],
    ['statuses that are none',() => list([{ ...pod(), status: { containerStatuses: 'all well' } }]), 'the answer is not what was asked for'],
    ['no list at all',        () => Response.json(null), 'the answer is not what was asked for'],
    ['more than it may be',   () => new Response(' '.repeat(5 * 1024 * 1024), { headers: { 'content-type': 'application/json' } }), 'more than 4194304 bytes'],
  ])('%s is an error, and no shorter list', async (_, answer, reason) => {
    await using server = await apiServer(answer)
    expect(await createKubernetes().pods(server.access, PAGE, same)).toStrictEqual(
      err({ kind: 'cluster_error', reason }),
    )
  })
})

describe('whom it trusts', () => {
  const tls = (reason: string) => err({ kind: 'cluster_tls_error', reason })

  test('the cluster’s own authority, and for each request that of its cluster', async () => {
    await using server = await apiServer(() => list([]))
    expect(await clusters.pods(server.access, PAGE, same)).toMatchObject({ ok: true })
    // The connection is open still, and there is one of a good certificate to the same address.
    const trust = { kind: 'authority', pem: (await otherAuthority()).pem } as const
    const others = accessTo({ ...server.cluster, trust })
    const system = accessTo({ ...server.cluster, trust: { kind: 'system_roots' } })
    for (const [, call] of calls) {
      expect(await call(others)).toStrictEqual(tls('CERT_SIGNATURE_FAILURE'))
      expect(await call(system)).toStrictEqual(tls('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
    }
    expect(server.sent).toHaveLength(1)
    expect(await clusters.probe(others.cluster)).toStrictEqual({
      kind: 'unreachable',
      reason: 'tls',
    })
  })

  test('whatever the environment says', async () => {
    await using server = await apiServer(() => list([]))
    const trust = { kind: 'authority', pem: (await otherAuthority()).pem } as const
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      expect(await clusters.pods(accessTo({ ...server.cluster, trust }), PAGE, same)).toMatchObject(
        {
          error: { kind: 'cluster_tls_error' },
        },
      )
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })

  test('a certificate that has expired or is of another name is refused', async () => {
    const ca = await authority()
    await using old = await apiServer(() => list([]), await ca.issue(undefined, expired()))
    expect(await clusters.pods(old.access, PAGE, same)).toStrictEqual(tls('CERT_HAS_EXPIRED'))
    await using other = await apiServer(() => list([]), await ca.issue(['k8s.example']))
    expect(await clusters.pods(other.access, PAGE, same)).toStrictEqual(
      tls('ERR_TLS_CERT_ALTNAME_INVALID'),
    )
    const named = { ...other.cluster, tlsServerName: 'k8s.example' }
    expect(await clusters.pods(accessTo(named), PAGE, same)).toMatchObject({ ok: true })
    // Not by the connection that was opened under the other name.
    expect(await clusters.pods(other.access, PAGE, same)).toMatchObject({ ok: false })
  })
})

describe('a connection that fails', () => {
  type Handler = (socket: Socket) => void

  async function listen(kind: 'tcp' | 'tls', handler: Handler) {
    const sockets = new Set<Socket>()
    const keep: Handler = (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      handler(socket)
    }
    const server =
      kind === 'tcp'
        ? createTcpServer(keep)
        : createTlsServer(await (await authority()).issue(), keep)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return {
      access: accessTo(await clusterAt(`https://127.0.0.1:${address.port}`)),
      [Symbol.dispose]() {
        for (const socket of sockets) socket.destroy()
        server.close()
      },
    }
  }

  const answering =
    (text: string, end: 'end' | 'destroy' | 'stay'): Handler =>
    (socket) =>
      socket.on('data', () => {
        socket.write(text)
        if (end !== 'stay') setTimeout(() => socket[end](), 10)
      })
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  const reset: ClusterFailure = { kind: 'cluster_unreachable', reason: 'connection_reset' }

  // prettier-ignore
  test.each<[string, 'tcp' | 'tls', Handler, object]>([
    ['reset at once',             'tcp', (socket) => socket.destroy(), reset],
    ['plain HTTP on the port',    'tcp', answering('HTTP/1.1 400 Bad Request\r\n\r\n', 'end'), { kind: 'cluster_tls_error' }],
    ['no HTTP at all',            'tls', answering('SSH-2.0-OpenSSH\r\n', 'end'), { kind: 'cluster_unreachable' }],
    ['half a body, of a length',  'tls', answering(`${head}content-length: 1000\r\n\r\n{"metadata":`, 'end'), reset],
    ['half a body, in chunks',    'tls', answering(`${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, 'end'), reset],
    ['a body that is reset',      'tls', answering(`${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, 'destroy'), reset],
    ['a body not compressed',     'tls', answering(`${head}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd`, 'stay'), { kind: 'cluster_error' }],
    ['never an answer',           'tls', () => {}, { kind: 'cluster_timeout' }],
    ['never a handshake',         'tcp', () => {}, { kind: 'cluster_timeout' }],
    ['never the end of the body', 'tls', answering(`${head}content-length: 1000\r\n\r\n{`, 'stay'), { kind: 'cluster_timeout' }],
  ])('%s', async (_, kind, handler, expected) => {
    using server = await listen(kind, handler)
    const start = performance.now()
    expect(await clusters.pods(server.access, PAGE, same)).toMatchObject({ ok: false, error: expected })
    expect(performance.now() - start).toBeLessThan(3 * DEADLINE_MS)
  })

  test.each(calls)('%s: refused, and a name that is not there', async (_, call) => {
    const refused = accessTo(await clusterAt('https://127.0.0.1:1'))
    expect(await call(refused)).toStrictEqual(
      err({ kind: 'cluster_unreachable', reason: 'connection_refused' }),
    )
    const unknown = accessTo(await clusterAt('https://no-such-host.invalid:6443'))
    expect(await call(unknown)).toStrictEqual(
      err({ kind: 'cluster_unreachable', reason: 'host_not_found' }),
    )
  })

  test.each(calls)('%s: never an answer is a time-out', async (_, call) => {
    using server = await listen('tls', () => {})
    expect(await call(server.access)).toStrictEqual(err({ kind: 'cluster_timeout' }))
  })

  test('who does not wait any more ends the request', async () => {
    using server = await listen('tls', () => {})
    const signal = AbortSignal.timeout(20)
    const start = performance.now()
    expect(await clusters.pods({ ...server.access, signal }, PAGE, same)).toMatchObject({
      ok: false,
    })
    expect(performance.now() - start).toBeLessThan(DEADLINE_MS / 2)
  })

  test('a log that breaks off does not look complete', async () => {
    using server = await listen(
      'tls',
      answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n', 'end'),
    )
    const query = { container: null, follow: true, previous: false, tailLines: null }
    const log = await clusters.log(server.access, NAME, query)
    if (!log.ok) throw new Error(log.error.kind)
    expect(new Response(log.value).text()).rejects.toThrow()
    await Bun.sleep(50)
  })
})

describe('a watch', () => {
  const from = { resourceVersion: '7', labelSelector: 'app=x' }
  const at = (resourceVersion: string) => pod({}, {}, { resourceVersion })

  async function told(access: ClusterAccess) {
    const items = []
    for await (const item of clusters.watchPods(access, from)) items.push(item)
    return items
  }

  test('tells what is added, changed and removed, and where it is', async () => {
    await using server = await apiServer(() =>
      lines(
        { type: 'ADDED', object: at('8') },
        { type: 'MODIFIED', object: at('9') },
        { type: 'NEW_KIND', object: at('10') },
        { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '11' } } },
        { type: 'DELETED', object: at('12') },
      ),
    )
    expect(await told(server.access)).toStrictEqual([
      { ok: true, value: { kind: 'set', item: at('8'), resourceVersion: '8' } },
      { ok: true, value: { kind: 'set', item: at('9'), resourceVersion: '9' } },
      { ok: true, value: { kind: 'bookmark', resourceVersion: '11' } },
      { ok: true, value: { kind: 'removed', item: at('12'), resourceVersion: '12' } },
    ])
    expect(server.sent[0]?.query).toStrictEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '240',
      resourceVersion: '7',
      labelSelector: 'app=x',
    })
  })

  test('reads lines however they are cut', async () => {
    const text = [at('8'), at('9')]
      .map((object) => `${JSON.stringify({ type: 'ADDED', object: { ...object, note: 'é' } })}\n\n`)
      .join('')
    const bytes = new TextEncoder().encode(text)
    await using server = await apiServer(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              for (let i = 0; i < bytes.length; i += 7) {
                controller.enqueue(bytes.slice(i, i + 7))
                if (i % 70 === 0) await Bun.sleep(0)
              }
              controller.close()
            },
          }),
          { headers: { 'content-type': 'application/json' } },
        ),
    )
    expect(await told(server.access)).toMatchObject([
      { value: { item: { note: 'é' } } },
      { value: { item: { note: 'é' } } },
    ])
  })

  // prettier-ignore
  test.each<[string, object, object]>([
    ['what it forgot',          { type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old resource version' } }, { kind: 'cluster_expired' }],
    ['a right that was taken',  { type: 'ERROR', object: { kind: 'Status', code: 403, message: 'no' } }, { kind: 'cluster_forbidden', message: 'no' }],
    ['an error of no kind',     { type: 'ERROR', object: {} }, { kind: 'cluster_error' }],
    ['an object that is none',  { type: 'ADDED', object: { metadata: { resourceVersion: '9' } } }, { kind: 'cluster_error' }],
    ['a line that is none',     { kind: 'Pod' }, { kind: 'cluster_error' }],
  ])('ends with %s', async (_, line, expected) => {
    await using server = await apiServer(() => lines(line, { type: 'ADDED', object: at('9') }))
    expect(await told(server.access)).toMatchObject([{ ok: false, error: expected }])
  })

  test('ends with a line that never ends', async () => {
    await using server = await apiServer(() => new Response('x'.repeat(5 * 1024 * 1024)))
    expect(await told(server.access)).toMatchObject([{ error: { kind: 'cluster_error' } }])
  })

  test('ends with its reader, and lets go of the connection', async () => {
    const left = Promise.withResolvers<void>()
    await using server = await apiServer((request) => {
      request.signal.addEventListener('abort', () => left.resolve())
      return new Response(
        new ReadableStream({
          start: (controller) =>
            controller.enqueue(`${JSON.stringify({ type: 'ADDED', object: at('8') })}\n`),
        }),
      )
    })
    const leave = new AbortController()
    const watch = clusters.watchPods({ ...server.access, signal: leave.signal }, from)
    const reader = watch[Symbol.asyncIterator]()
    expect(await reader.next()).toMatchObject({ value: { ok: true } })
    leave.abort()
    expect(await reader.next()).toStrictEqual({ done: true, value: undefined })
    await left.promise
  })
})

describe('a probe', () => {
  // prettier-ignore
  test.each<[string, number, object]>([
    ['not well',              500, { kind: 'not_ready' }],
    ['closed to strangers',   401, { kind: 'answers', version: null }],
    ['forbidden to strangers',403, { kind: 'answers', version: null }],
    ['a redirect',            302, { kind: 'not_ready' }],
  ])('%s', async (_, code, expected) => {
    await using server = await apiServer(() => new Response('no', { status: code }))
    expect(await clusters.probe(server.cluster)).toStrictEqual(expected as never)
  })

  test('a version that is none is not repeated', async () => {
    await using server = await apiServer((_, { path }) =>
      path === '/version' ? Response.json({ gitVersion: '<script>' }) : new Response('ok'),
    )
    expect(await clusters.probe(server.cluster)).toStrictEqual({ kind: 'ready', version: null })
  })

  test('gives up after two seconds', async () => {
    await using server = await apiServer(() => new Promise(() => {}))
    expect(await clusters.probe(server.cluster)).toStrictEqual({
      kind: 'unreachable',
      reason: 'timeout',
    })
  })
})
