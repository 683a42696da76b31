import { expect, test } from 'bun:test'
import { openFeed } from '#src/lib/domain/clusters/feeds.ts'
import { createOpenStreams } from '#src/lib/domain/clusters/open-streams.ts'
import type { ClusterAccess, ClusterFailure, Page, Watch } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { askingOf, clusterOf } from './asking.ts'

interface Item {
  readonly metadata: { readonly uid: string }
}

const LOOK_MS = 20

const pageOf = (next: string | null) => ok({ items: [], next, resourceVersion: '1' } as const)

/** A feed whose token has so long to live, of these pages and a watch in which nothing happens. */
async function open(tokenMs: number, ...pages: Result<Page<never>, ClusterFailure>[]) {
  const granted: ClusterAccess[] = []
  const right = { isHeld: true }
  const streams = createOpenStreams({
    perPerson: 1,
    all: 10,
    mayGoOn: async () => right.isHeld,
    onBug: () => {},
    lookEveryMs: LOOK_MS,
  })
  const leave = new AbortController()
  const cluster = clusterOf('dev-east')
  const asked = askingOf({ cluster: cluster.id, signal: leave.signal })
  const ended = AbortSignal.timeout(Math.max(0, tokenMs))
  // oxlint-disable-next-line require-yield
  async function* watch(access: ClusterAccess): Watch<Item> {
    const { signal } = access
    granted.push(access)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  const opened = await openFeed(
    {
      streams,
      withAccess: async ({ namespace, requestId, trace, signal }, act) => {
        const until = AbortSignal.any([signal, ended])
        return act({ cluster, namespace, requestId, trace, token: 't', signal: until, ended })
      },
    },
    {
      plural: 'pods',
      async list(access) {
        granted.push(access)
        return pages.shift() ?? pageOf(null)
      },
      watch,
    },
    asked,
    'app=x',
    ({ metadata }: Item) => metadata.uid,
  )
  const isFree = async () => {
    const probe = await streams.open(askingOf(), async ({ signal }) =>
      ok({ cluster, signal, value: null }),
    )
    if (probe.ok) probe.value.end()
    return probe.ok
  }
  return { opened, granted, leave, right, isFree }
}

async function openWell(...given: Parameters<typeof open>) {
  const { opened, ...rest } = await open(...given)
  if (!opened.ok) throw new Error(opened.error.kind)
  return { feed: opened.value, ...rest }
}

test('a feed that cannot be opened frees its place', async () => {
  const { opened, isFree } = await open(60_000, err({ kind: 'cluster_timeout' }))
  expect(opened).toStrictEqual(err({ kind: 'cluster_timeout' }))
  expect(await isFree()).toBe(true)
})

test('a selector that the cluster does not take is the caller’s mistake', async () => {
  const { opened } = await open(60_000, err({ kind: 'cluster_invalid', message: 'no' }))
  expect(opened).toMatchObject({ error: { kind: 'validation_failed' } })
})

test('a feed ends when the right to it does, and frees its place', async () => {
  const { feed, right, isFree } = await openWell(60_000)
  const told = feed(new AbortController().signal)
  await told.next()
  const next = told.next()
  await Bun.sleep(3 * LOOK_MS)
  expect(await isFree()).toBe(false)
  right.isHeld = false
  expect(await next).toStrictEqual({ done: true, value: null })
  expect(await isFree()).toBe(true)
})

test('a feed ends with the token, and frees its place', async () => {
  const start = performance.now()
  const { feed, isFree } = await openWell(500)
  const told = feed(new AbortController().signal)
  expect((await told.next()).value).toStrictEqual({
    kind: 'snapshot',
    items: [],
    first: true,
    last: true,
  })
  expect(await isFree()).toBe(false)
  expect(await told.next()).toStrictEqual({ done: true, value: null })
  expect(performance.now() - start).toBeGreaterThan(490)
  expect(await isFree()).toBe(true)
})

test('a token that has ended opens nothing that lasts', async () => {
  const { feed, isFree } = await openWell(-1)
  const told = feed(new AbortController().signal)
  for (let next = await told.next(); next.done !== true; next = await told.next());
  expect(await isFree()).toBe(true)
})

test.each(['reader', 'request'] as const)(
  'a feed ends with its %s, even before it was read',
  async (who) => {
    const { feed, leave, isFree } = await openWell(60_000)
    const reader = new AbortController()
    feed(reader.signal)
    expect(await isFree()).toBe(false)
    if (who === 'reader') reader.abort()
    else leave.abort()
    expect(await isFree()).toBe(true)
  },
)

test('a feed that fails frees its place with its reader', async () => {
  const { feed, isFree } = await openWell(60_000, pageOf('p2'), err({ kind: 'cluster_timeout' }))
  const reader = new AbortController()
  const told = feed(reader.signal)
  await told.next()
  expect(await isFree()).toBe(false)
  expect(await told.next()).toStrictEqual({ done: true, value: { kind: 'cluster_timeout' } })
  reader.abort()
  expect(await isFree()).toBe(true)
})

test('a feed whose reader is gone before it begins holds no place', async () => {
  const { feed, isFree } = await openWell(60_000)
  feed(AbortSignal.abort())
  expect(await isFree()).toBe(true)
})

test('whatever a feed still asks for ends with its reader', async () => {
  const { feed, granted } = await openWell(60_000, pageOf('p2'))
  const reader = new AbortController()
  const told = feed(reader.signal)
  for (let pages = 0; pages < 2; pages++) await told.next()
  const next = told.next()
  await Bun.sleep(1)
  reader.abort()
  expect(await next).toStrictEqual({ done: true, value: null })
  // The first page was read before there was a reader.
  expect(granted.slice(1).map(({ signal }) => signal.aborted)).toStrictEqual([true, true])
})
