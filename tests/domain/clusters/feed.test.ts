import { describe, expect, test } from 'bun:test'
import { openFeed } from '#src/lib/domain/clusters/feed.ts'
import { newPosition } from '#src/lib/domain/clusters/follow.ts'
import type { Resource } from '#src/lib/domain/clusters/listing.ts'
import { createOpenStreams } from '#src/lib/domain/clusters/open-streams.ts'
import { createFair } from '#src/lib/concurrency/fair.ts'
import type { Cluster, ClusterAccess, ClusterFailure, Page } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterOf, clusterRequest, grantedAccess, watchedSessions } from './cluster-request.ts'
import { valueOf } from '#tests/support/value-of.ts'

interface View {
  readonly uid: string
}

const RECHECK_MS = 20
const { signal: never } = new AbortController()

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

const pageOf = (next: string | null) =>
  ok({ items: [], next, resourceVersion: '1', bytes: 0 } as const)

/** A feed whose token ends with this signal, with these pages and a watch without changes. */
async function open(expired: AbortSignal, ...pages: Result<Page<never>, ClusterFailure>[]) {
  const accesses: ClusterAccess[] = []
  const right = { isHeld: true }
  const cluster = clusterOf('dev-east')
  const streams = createOpenStreams({
    sessions: watchedSessions(),
    withAccess: async ({ signal }, act) =>
      act(grantedAccess({ cluster, signal: AbortSignal.any([signal, expired]), expired })),
    streamSlots: createFair({ queue: 'streams', permits: 10, perPerson: 1 }),
    mayContinue: async () => right.isHeld,
    onBug: () => {},
    recheckEveryMs: RECHECK_MS,
  })
  const leave = new AbortController()
  const resource: Resource<View> = {
    plural: 'pods',
    async list(access) {
      accesses.push(access)
      return pages.shift() ?? pageOf(null)
    },
    // oxlint-disable-next-line require-yield
    async *watch(access) {
      accesses.push(access)
      await aborted(access.signal)
    },
  }
  const request = clusterRequest({ cluster: cluster.id, signal: leave.signal })
  const opened = await openFeed(streams, resource, request, { labelSelector: 'app=x' })
  const isFree = async () => {
    const probe = await streams.open(clusterRequest(), async () => ok(null))
    if (probe.ok) probe.value.close()
    return probe.ok
  }
  return { opened, accesses, leave, right, isFree }
}

async function openWell(...given: Parameters<typeof open>) {
  const { opened, ...rest } = await open(...given)
  if (!opened.ok) throw new Error(opened.error.kind)
  return { feed: opened.value, ...rest }
}

test('a feed that cannot be opened frees its slot', async () => {
  const { opened, isFree } = await open(never, err({ kind: 'cluster_timeout' }))
  expect(opened).toStrictEqual(err({ kind: 'cluster_timeout' }))
  expect(await isFree()).toBe(true)
})

test('a selector that the cluster does not take is the caller’s mistake', async () => {
  const { opened } = await open(never, err({ kind: 'cluster_invalid', message: 'no' }))
  expect(opened).toMatchObject({ error: { kind: 'validation_failed' } })
})

test('a feed ends with the token, and frees its slot', async () => {
  const token = new AbortController()
  const { feed, isFree } = await openWell(token.signal)
  const events = feed(new AbortController().signal)
  expect((await events.next()).value).toStrictEqual({
    kind: 'snapshot',
    items: [],
    first: true,
    last: true,
  })
  expect(await isFree()).toBe(false)
  token.abort()
  expect(await events.next()).toStrictEqual({ done: true, value: null })
  expect(await isFree()).toBe(true)
})

describe('with the next token a list', () => {
  const change = (resourceVersion: string) =>
    ok({ kind: 'set', item: { uid: resourceVersion }, resourceVersion, bytes: 1 } as const)

  /** What is asked of the API server while one token follows the other, each after so many events. */
  async function story(
    clusters: readonly Cluster[],
    { events = 3, later = false }: { events?: number; later?: boolean } = {},
  ) {
    const asked: string[] = []
    const position = newPosition()
    for (const [index, cluster] of clusters.entries()) {
      const token = new AbortController()
      const streams = createOpenStreams({
        sessions: watchedSessions(),
        withAccess: async ({ signal }, act) =>
          act(grantedAccess({ cluster, signal: AbortSignal.any([signal, token.signal]) })),
        streamSlots: createFair({ queue: 'streams', permits: 10, perPerson: 10 }),
        mayContinue: async () => true,
        onBug: () => {},
      })
      const resource: Resource<{ readonly uid: string }> = {
        plural: 'pods',
        async list() {
          asked.push('list')
          return ok({ items: [{ uid: 'first' }], next: null, resourceVersion: '1', bytes: 1 })
        },
        async *watch({ signal }, { resourceVersion }) {
          asked.push(`watch ${resourceVersion}`)
          yield change('2')
          yield change('3')
          await aborted(signal)
        },
        later: (view) => (later ? { afterMs: 60_000, view } : null),
      }
      const feed = valueOf(
        await openFeed(streams, resource, clusterRequest(), { labelSelector: null }, position),
      )
      const each = feed(new AbortController().signal)
      for (let count = index === 0 ? 0 : events - 1; count < events; count++) await each.next()
      // What was sent counts once the next is asked for.
      const next = each.next()
      await Bun.sleep(1)
      token.abort()
      await next
    }
    return asked
  }
  const [cluster, other] = [clusterOf('dev-east'), clusterOf('dev-east')]

  test('goes on from what was sent', async () => {
    expect(await story([cluster, cluster])).toStrictEqual(['list', 'watch 1', 'watch 3'])
  })

  test('has what was not sent again', async () => {
    const asked = await story([cluster, cluster], { events: 2 })
    expect(asked).toStrictEqual(['list', 'watch 1', 'watch 2'])
  })

  test('begins anew where its views change by themselves, or in another cluster', async () => {
    const anew = ['list', 'watch 1', 'list', 'watch 1']
    expect(await story([cluster, cluster], { later: true })).toStrictEqual(anew)
    expect(await story([cluster, other])).toStrictEqual(anew)
  })
})

test('a token that has ended opens nothing that lasts', async () => {
  const { feed, isFree } = await openWell(AbortSignal.abort())
  const events = feed(new AbortController().signal)
  for (let next = await events.next(); next.done !== true; next = await events.next());
  expect(await isFree()).toBe(true)
})

test.each(['reader', 'request'] as const)(
  'a feed ends with its %s, even before it was read',
  async (who) => {
    const { feed, leave, isFree } = await openWell(never)
    const reader = new AbortController()
    feed(reader.signal)
    expect(await isFree()).toBe(false)
    if (who === 'reader') reader.abort()
    else leave.abort()
    expect(await isFree()).toBe(true)
  },
)

test('a feed that fails, or that its reader leaves, frees its slot at once', async () => {
  const failing = await openWell(never, pageOf('p2'), err({ kind: 'cluster_timeout' }))
  const events = failing.feed(failing.leave.signal)
  await events.next()
  expect(await failing.isFree()).toBe(false)
  expect(await events.next()).toStrictEqual({ done: true, value: { kind: 'cluster_timeout' } })
  expect(await failing.isFree()).toBe(true)
  const left = await openWell(never)
  const unread = left.feed(left.leave.signal)
  await unread.next()
  expect(await left.isFree()).toBe(false)
  await unread.return(null)
  expect(await left.isFree()).toBe(true)
})

test('a feed whose reader is gone before it begins holds no slot', async () => {
  const { feed, isFree } = await openWell(never)
  feed(AbortSignal.abort())
  expect(await isFree()).toBe(true)
})

test('whatever a feed still asks for ends with its reader', async () => {
  const { feed, accesses } = await openWell(never, pageOf('p2'))
  const reader = new AbortController()
  const events = feed(reader.signal)
  for (let pages = 0; pages < 2; pages++) await events.next()
  const next = events.next()
  await Bun.sleep(1)
  reader.abort()
  expect(await next).toStrictEqual({ done: true, value: null })
  // The first page was read before there was a reader.
  expect(accesses.slice(1).map(({ signal }) => signal.aborted)).toStrictEqual([true, true])
})
