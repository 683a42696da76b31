import { expect, jest, test } from 'bun:test'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { apiServer, clusterAt } from '#tests/support/api-server.ts'
import { clusters } from './calls.ts'
import { answering, type Handler, listen } from './raw-api-server.ts'

// prettier-ignore
test.each<[string, number, object]>([
  ['not well',              500, { kind: 'not_ready', isApiServer: true }],
  ['closed to strangers',   401, { kind: 'answers', version: null }],
  ['forbidden to strangers',403, { kind: 'answers', version: null }],
  ['a redirect',            302, { kind: 'not_ready', isApiServer: true }],
  ['not an API server',     200, { kind: 'not_ready', isApiServer: false }],
])('%s', async (_, code, expected) => {
  await using server = await apiServer(() => new Response('no', { status: code }))
  expect(await clusters.probe(server.cluster)).toStrictEqual(expected as never)
})

const versionIs = (version: object) =>
  apiServer((_, { path }) => (path === '/version' ? Response.json(version) : new Response('ok')))

test.each([
  ['that is none', { gitVersion: '<script>' }],
  ['of more than 64 signs', { gitVersion: 'v'.repeat(65) }],
  ['in more than 16 KB', { gitVersion: 'v1.34.2', more: 'x'.repeat(16 * 1024) }],
])('a version %s is not repeated', async (_, version) => {
  await using server = await versionIs(version)
  expect(await clusters.probe(server.cluster)).toStrictEqual({ kind: 'ready', version: null })
})

test('a version is what Kubernetes calls its own', async () => {
  const gitVersion = `v1.34.2-gke.100+${'a'.repeat(48)}`
  await using server = await versionIs({ gitVersion, more: 'x'.repeat(16_000) })
  expect(await clusters.probe(server.cluster)).toStrictEqual({ kind: 'ready', version: gitVersion })
})

test.each<[string, 'tcp' | 'tls', Handler, string]>([
  ['that hangs up', 'tcp', (socket) => socket.destroy(), 'connection_reset'],
  ['that does not speak HTTP', 'tls', answering('SSH-2.0-OpenSSH\r\n\r\n', 'end'), 'other'],
])('one %s is unreachable', async (_, kind, handler, reason) => {
  using server = await listen(kind, handler)
  expect(await clusters.probe(server.access.cluster)).toStrictEqual({
    kind: 'unreachable',
    reason,
  } as never)
})

test('gives up after two seconds', async () => {
  const requested = Promise.withResolvers<void>()
  await using server = await apiServer((_, { path }) => {
    if (path === '/readyz') requested.resolve()
    return new Promise(() => {})
  })
  jest.useFakeTimers()
  try {
    const probe = clusters.probe(server.cluster)
    await requested.promise
    jest.advanceTimersByTime(1_999)
    await new Promise(setImmediate)
    expect(Bun.peek.status(probe)).toBe('pending')
    jest.advanceTimersByTime(1)
    expect(await probe).toStrictEqual({ kind: 'unreachable', reason: 'timeout' })
  } finally {
    jest.useRealTimers()
  }
})

test('so many at a time, and the others after them', async () => {
  let [open, most] = [0, 0]
  const full = Promise.withResolvers<void>()
  await using server = await apiServer(async (_, { path }) => {
    if (path !== '/readyz') return new Response('', { status: 404 })
    most = Math.max(most, ++open)
    if (open === 3) full.resolve()
    await full.promise
    await Bun.sleep(20)
    open--
    return new Response('ok')
  })
  const few = createKubernetes({ requestsAtOnce: 48 })
  const found = await Promise.all(
    Array.from({ length: 10 }, async () => few.probe(await clusterAt(server.cluster.apiServer))),
  )
  expect(found.map(({ kind }) => kind)).toStrictEqual(Array(10).fill('ready'))
  expect(most).toBe(3)
})
