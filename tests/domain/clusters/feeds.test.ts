import { expect, test } from 'bun:test'
import type { Granted } from '#src/lib/domain/clusters/access.ts'
import { openFeed } from '#src/lib/domain/clusters/feeds.ts'
import { createOpenStreams } from '#src/lib/domain/clusters/open-streams.ts'
import type { ClusterAccess, ClusterFailure, Page, Watch } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { askingOf, clusterOf } from './asking.ts'

interface Item {
  readonly metadata: { readonly uid: string }
}

const LOOK_MS = 20

/** A feed whose token has so long to live, of a watch in which nothing happens. */
async function open(
  tokenMs: number,
  page: Result<Page<never>, ClusterFailure> = ok({ items: [], next: null, resourceVersion: '1' }),
) {
  const right = { isHeld: true }
  const streams = createOpenStreams({
    perPerson: 1,
    all: 10,
    mayGoOn: async () => right.isHeld,
    lookEveryMs: LOOK_MS,
  })
  const leave = new AbortController()
  const cluster = clusterOf('dev-east')
  const asked = askingOf({ cluster: cluster.id, signal: leave.signal })
  const ended = AbortSignal.timeout(Math.max(0, tokenMs))
  // oxlint-disable-next-line require-yield
  async function* watch({ signal }: ClusterAccess): Watch<Item> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  const opened = await openFeed(
    {
      streams,
      withAccess: async ({ namespace, requestId, signal }, act) => {
        const until = AbortSignal.any([signal, ended])
        const granted: Granted = { cluster, namespace, requestId, token: 't', signal: until, ended }
        return act(granted)
      },
    },
    { plural: 'pods', list: async () => page, watch },
    asked,
    null,
    (item: Item) => item,
  )
  const isFree = () => {
    const begun = streams.begin(asked)
    if (begun.ok) begun.value.end()
    return begun.ok
  }
  return { opened, leave, right, isFree }
}

async function openWell(tokenMs: number) {
  const { opened, ...rest } = await open(tokenMs)
  if (!opened.ok) throw new Error(opened.error.kind)
  return { feed: opened.value, ...rest }
}

test('a feed that cannot be opened frees its place', async () => {
  const { opened, isFree } = await open(60_000, err({ kind: 'cluster_timeout' }))
  expect(opened).toStrictEqual(err({ kind: 'cluster_timeout' }))
  expect(isFree()).toBe(true)
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
  expect(isFree()).toBe(false)
  right.isHeld = false
  expect(await next).toStrictEqual({ done: true, value: null })
  expect(isFree()).toBe(true)
})

test('a feed ends with the token, and frees its place', async () => {
  const { feed, isFree } = await openWell(50)
  const told = feed(new AbortController().signal)
  expect((await told.next()).value).toStrictEqual({
    kind: 'snapshot',
    items: [],
    first: true,
    last: true,
  })
  expect(isFree()).toBe(false)
  const start = performance.now()
  expect(await told.next()).toStrictEqual({ done: true, value: null })
  expect(performance.now() - start).toBeGreaterThan(30)
  expect(isFree()).toBe(true)
})

test('a token that has ended opens nothing that lasts', async () => {
  const { feed, isFree } = await openWell(-1)
  const told = feed(new AbortController().signal)
  for (let next = await told.next(); next.done !== true; next = await told.next());
  expect(isFree()).toBe(true)
})

test.each(['reader', 'request'] as const)(
  'a feed ends with its %s, even before it was read',
  async (who) => {
    const { feed, leave, isFree } = await openWell(60_000)
    const reader = new AbortController()
    feed(reader.signal)
    expect(isFree()).toBe(false)
    if (who === 'reader') reader.abort()
    else leave.abort()
    expect(isFree()).toBe(true)
  },
)
