import { describe, expect, test } from 'bun:test'
import { Subdomain } from '#src/lib/names.ts'
import type { ClusterAccess, WatchStart } from '#src/lib/ports/clusters.ts'
import { apiServer } from '#tests/support/api-server.ts'
import { pod } from '#tests/domain/clusters/objects.ts'
import { clusters, same } from './calls.ts'

const lines = (...events: object[]) =>
  new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(''), {
    headers: { 'content-type': 'application/json' },
  })

describe('a watch', () => {
  const from = { resourceVersion: '7', labelSelector: 'app=x' }
  const at = (resourceVersion: string) => pod({}, {}, { resourceVersion })

  async function told(access: ClusterAccess, start: WatchStart = from) {
    const items = []
    for await (const item of clusters.pods.watch(access, start, same)) items.push(item)
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
    const bytes = expect.any(Number) as number
    expect(await told(server.access)).toStrictEqual([
      { ok: true, value: { kind: 'set', item: at('8'), resourceVersion: '8', bytes } },
      { ok: true, value: { kind: 'set', item: at('9'), resourceVersion: '9', bytes } },
      { ok: true, value: { kind: 'bookmark', resourceVersion: '11' } },
      { ok: true, value: { kind: 'removed', item: at('12'), resourceVersion: '12', bytes } },
    ])
    expect(server.sent[0]?.query).toStrictEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '50',
      resourceVersion: '7',
      labelSelector: 'app=x',
    })
  })

  test('of one object', async () => {
    await using server = await apiServer(() => lines())
    await told(server.access, {
      resourceVersion: '7',
      labelSelector: null,
      name: Subdomain.of('shop-1'),
    })
    expect(server.sent[0]?.query).toMatchObject({ fieldSelector: 'metadata.name=shop-1' })
    expect(server.sent[0]?.query).not.toHaveProperty('labelSelector')
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
    ['an error of no code',     { type: 'ERROR', object: { kind: 'Status', message: 'no' } }, { kind: 'cluster_failed', message: 'no' }],
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
    const watch = clusters.pods.watch({ ...server.access, signal: leave.signal }, from, same)
    const reader = watch[Symbol.asyncIterator]()
    expect(await reader.next()).toMatchObject({ value: { ok: true } })
    leave.abort()
    expect(await reader.next()).toStrictEqual({ done: true, value: undefined })
    await left.promise
  })
})
