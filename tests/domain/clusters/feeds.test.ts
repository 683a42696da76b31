import { expect, test } from 'bun:test'
import type { Asking, Granted } from '#src/lib/domain/clusters/access.ts'
import { openFeed } from '#src/lib/domain/clusters/feeds.ts'
import { createStreamLimit } from '#src/lib/domain/clusters/stream-limit.ts'
import { Label } from '#src/lib/names.ts'
import type { ClusterAccess, Watch } from '#src/lib/ports/clusters.ts'
import { ok } from '#src/lib/result.ts'
import { clusterAt } from '#tests/support/api-server.ts'

interface Item {
  readonly metadata: { readonly uid: string }
}

/** A feed whose token has so long to live, of a watch in which nothing happens. */
async function open(tokenMs: number) {
  const streams = createStreamLimit({ perPerson: 1, all: 10 })
  const leave = new AbortController()
  const cluster = await clusterAt('https://127.0.0.1:1')
  const asking: Asking = {
    session: {
      principal: { issuer: 'i', subject: 's', name: 'S', email: null, groups: { kind: 'unknown' } },
      tokens: null,
      idHash: 'h',
      sid: null,
      version: 1,
      createdAt: 0,
      seenAt: 0,
      expiresAt: 0,
    },
    requestId: 'r',
    cluster: cluster.id,
    namespace: Label.of('payments'),
    signal: leave.signal,
  }
  const ended = AbortSignal.timeout(Math.max(0, tokenMs))
  const granted: Granted = {
    cluster,
    namespace: asking.namespace,
    token: 't',
    requestId: 'r',
    signal: AbortSignal.any([leave.signal, ended]),
    ended,
  }
  // oxlint-disable-next-line require-yield
  async function* watch({ signal }: ClusterAccess): Watch<Item> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  const opened = await openFeed(
    {
      streams,
      withAccess: async (_, act) => act(granted),
    },
    {
      plural: 'pods',
      list: async () => ok({ items: [], next: null, resourceVersion: '1' }),
      watch,
    },
    asking,
    null,
    (item: Item) => item,
  )
  if (!opened.ok) throw new Error(opened.error.kind)
  const isFree = () => {
    const begun = streams.begin(asking.session.principal)
    if (begun.ok) begun.value()
    return begun.ok
  }
  return { feed: opened.value, leave, isFree }
}

test('a feed ends with the token, and frees its place', async () => {
  const { feed, isFree } = await open(50)
  const told = feed(new AbortController().signal)
  expect((await told.next()).value).toStrictEqual({ kind: 'snapshot', items: [] })
  expect(isFree()).toBe(false)
  const start = performance.now()
  expect(await told.next()).toStrictEqual({ done: true, value: null })
  expect(performance.now() - start).toBeGreaterThan(30)
  expect(isFree()).toBe(true)
})

test('a token that has ended opens nothing that lasts', async () => {
  const { feed, isFree } = await open(-1)
  const told = feed(new AbortController().signal)
  for (let next = await told.next(); next.done !== true; next = await told.next());
  expect(isFree()).toBe(true)
})

test.each(['reader', 'request'] as const)(
  'a feed ends with its %s, even before it was read',
  async (who) => {
    const { feed, leave, isFree } = await open(60_000)
    const reader = new AbortController()
    feed(reader.signal)
    expect(isFree()).toBe(false)
    if (who === 'reader') reader.abort()
    else leave.abort()
    expect(isFree()).toBe(true)
  },
)
