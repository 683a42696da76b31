import { expect, test } from 'bun:test'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { apiServer, clusterAt } from '#tests/support/api-server.ts'
import { clusters } from './calls.ts'

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

test('so many at a time, and the others after them', async () => {
  let [open, most] = [0, 0]
  await using server = await apiServer(async (_, { path }) => {
    if (path !== '/readyz') return new Response('', { status: 404 })
    most = Math.max(most, ++open)
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
