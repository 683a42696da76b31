import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import type { GrantedAccess } from '#src/lib/domain/clusters/access.ts'
import { openFeed } from '#src/lib/domain/clusters/feed.ts'
import { listResource, type Resource } from '#src/lib/domain/clusters/listing.ts'
import { createOpenStreams } from '#src/lib/domain/clusters/open-streams.ts'
import { createFair } from '#src/lib/concurrency/fair.ts'
import { restartOnRecord } from '#src/lib/domain/clusters/restart.ts'
import { Subdomain } from '#src/lib/names.ts'
import type {
  ClusterFailure,
  ListQuery,
  Page,
  WatchChange,
  WatchStart,
} from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterRequest, grantedAccess, watchedSessions } from './cluster-request.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'

/** Default time limits, with a clock that the test moves. */
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

interface View {
  readonly uid: string
}

const TIMEOUT = err({ kind: 'cluster_timeout' } as const)

/** A call that the API server does not answer: it ends with its signal. */
const untilAborted = ({ signal }: { readonly signal: AbortSignal }): Promise<typeof TIMEOUT> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(TIMEOUT)
    signal.addEventListener('abort', () => resolve(TIMEOUT), { once: true })
  })

/** Resolves when all work that does not need the clock is done. */
const settled = async () => {
  for (let turns = 0; turns < 50; turns++) await Promise.resolve()
}

async function isPendingAfter(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  await settled()
  jest.advanceTimersByTime(milliseconds)
  await settled()
  return Bun.peek.status(promise) === 'pending'
}

describe('a list of several pages', () => {
  const FIRST: Page<never> = { items: [], next: 'more', resourceVersion: '1', bytes: 1 }
  const readIn = (access: GrantedAccess, pages: number) => {
    let calls = 0
    const resource: Resource<View> = {
      plural: 'pods',
      async list(given) {
        if (++calls === pages) return untilAborted(given)
        await new Promise((resolve) => setTimeout(resolve, 4_000))
        return ok(FIRST)
      },
      watch: async function* () {},
    }
    return listResource(resource, access, { labelSelector: null, cursor: null })
  }

  test('has ten seconds in all', async () => {
    const list = readIn(grantedAccess(), 3)
    for (const page of [1, 2]) {
      expect([page, await isPendingAfter(list, 4_000)]).toStrictEqual([page, true])
    }
    expect(await isPendingAfter(list, 1_999)).toBe(true)
    expect(await isPendingAfter(list, 1)).toBe(false)
    expect(await list).toStrictEqual(TIMEOUT)
  })

  test('ends with who asked for it', async () => {
    const leave = new AbortController()
    const list = readIn(grantedAccess({ signal: leave.signal }), 1)
    expect(await isPendingAfter(list, 0)).toBe(true)
    leave.abort()
    expect(await list).toStrictEqual(TIMEOUT)
  })
})

describe('a restart', () => {
  const begin = (access: GrantedAccess) =>
    restartOnRecord(
      {
        kind: 'Deployment',
        collection: { read: untilAborted, restart: untilAborted },
        audit: keptAudit().audit,
        clock: { now: () => 0 },
        registry: () => [],
        isTeam: () => false,
        withAccess: (_, act) => act(access),
      },
      clusterRequest(),
      Subdomain.of('shop'),
    )

  test('has ten seconds', async () => {
    const restart = begin(grantedAccess())
    expect(await isPendingAfter(restart, 9_999)).toBe(true)
    expect(await isPendingAfter(restart, 1)).toBe(false)
    expect(await restart).toStrictEqual(TIMEOUT)
  })

  test('goes on when who asked for it leaves, but not without a token', async () => {
    const [leave, end] = [new AbortController(), new AbortController()]
    const restart = begin(grantedAccess({ signal: leave.signal, expired: end.signal }))
    leave.abort()
    expect(await isPendingAfter(restart, 0)).toBe(true)
    end.abort()
    expect(await restart).toStrictEqual(TIMEOUT)
  })
})

type Line = Result<WatchChange<View>, ClusterFailure>

const streamsOf = (mayContinue: () => Promise<boolean>) =>
  createOpenStreams({
    sessions: watchedSessions(),
    withAccess: async ({ signal }, act) => act(grantedAccess({ signal })),
    streamSlots: createFair({ queue: 'streams', permits: 1, perPerson: 20 }),
    mayContinue,
    onBug: () => {},
  })

/** A feed of a list of two pages, and of watches that run the scripts one after the other. */
async function open(scripts: readonly (readonly (Line | Promise<Line>)[])[]) {
  const queries: ListQuery[] = []
  const begun: WatchStart[] = []
  const resource: Resource<View> = {
    plural: 'pods',
    async list(_, query) {
      queries.push(query)
      const next = query.after === null ? 'p2' : null
      return ok({ items: [], next, resourceVersion: '1', bytes: 1 })
    },
    async *watch(access, from) {
      begun.push(from)
      yield* scripts[begun.length - 1] ?? []
      if (begun.length >= scripts.length) await untilAborted(access)
    },
  }
  const opened = await openFeed(
    streamsOf(async () => true),
    resource,
    clusterRequest(),
    { labelSelector: 'app=x' },
  )
  if (!opened.ok) throw new Error(opened.error.kind)
  const leave = new AbortController()
  return { feed: opened.value(leave.signal), leave, queries, begun }
}

const EXPIRED = err({ kind: 'cluster_expired' } as const)
const set = (uid: string) =>
  ok({ kind: 'set', item: { uid }, resourceVersion: '2', bytes: 1 } as const)

describe('a feed', () => {
  test('keeps to its selector on every page, and when it lists and watches anew', async () => {
    const { feed, queries, begun } = await open([[EXPIRED], []])
    for (const first of [true, false]) {
      expect((await feed.next()).value).toMatchObject({ kind: 'snapshot', first })
    }
    const again = feed.next()
    expect(await isPendingAfter(again, 1_999)).toBe(true)
    expect(await isPendingAfter(again, 1)).toBe(false)
    await feed.next()
    void feed.next()
    await settled()
    const [first, second] = [null, 'p2'].map((after) => ({
      limit: 100,
      after,
      labelSelector: 'app=x',
    }))
    expect(queries).toStrictEqual([first, second, first, second] as ListQuery[])
    expect(begun.map(({ labelSelector }) => labelSelector)).toStrictEqual(['app=x', 'app=x'])
  })

  test('tells of one object twice a second at most', async () => {
    const changed = Promise.withResolvers<Line>()
    const { feed } = await open([[set('a'), changed.promise]])
    for (let snapshots = 0; snapshots < 2; snapshots++) await feed.next()
    expect((await feed.next()).value).toStrictEqual({ kind: 'set', item: { uid: 'a' } })
    const again = feed.next()
    changed.resolve(set('a'))
    expect(await isPendingAfter(again, 499)).toBe(true)
    expect(await isPendingAfter(again, 1)).toBe(false)
    expect((await again).value).toStrictEqual({ kind: 'set', item: { uid: 'a' } })
  })

  test('waits for no pause when its reader leaves', async () => {
    const { feed, leave } = await open([[set('a')], []])
    for (let told = 0; told < 3; told++) await feed.next()
    const next = feed.next()
    expect(await isPendingAfter(next, 0)).toBe(true)
    leave.abort()
    expect(await next).toStrictEqual({ done: true, value: null })
  })
})

test('the right to an open stream is rechecked every ten seconds', async () => {
  let rechecks = 0
  const streams = streamsOf(async () => ++rechecks < 3)
  const opened = await streams.open(clusterRequest(), async () => ok(null))
  if (!opened.ok) throw new Error(opened.error.kind)
  const {
    access: { signal },
    close,
  } = opened.value
  for (const seen of [0, 1, 2]) {
    expect([rechecks, signal.aborted]).toStrictEqual([seen, false])
    jest.advanceTimersByTime(9_999)
    await settled()
    expect(rechecks).toBe(seen)
    jest.advanceTimersByTime(1)
    await settled()
  }
  expect(signal.aborted).toBe(true)
  close()
})
