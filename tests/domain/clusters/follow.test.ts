import { afterEach, describe, expect, jest, test } from 'bun:test'
import { type FeedEvent, follow } from '#src/lib/domain/clusters/follow.ts'
import type { ClusterFailure, Page, WatchChange, WatchStart } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { Subdomain } from '#src/lib/names.ts'

interface View {
  readonly uid: string
  readonly value: number
}

const item = (uid: string, value: number): View => ({ uid, value })
const change = (kind: 'set' | 'removed', uid: string, value: number) =>
  ok({ kind, item: item(uid, value), resourceVersion: String(value), bytes: 1 } as const)
const set = (uid: string, value: number) => change('set', uid, value)
const removed = (uid: string, value: number) => change('removed', uid, value)
const bookmark = (resourceVersion: string) => ok({ kind: 'bookmark', resourceVersion } as const)

type Line = Result<WatchChange<View>, ClusterFailure>
const PAUSE_MS = 20

afterEach(() => void jest.useRealTimers())

const listed = (values: readonly number[]) => values.map((value) => item(`listed-${value}`, value))
const pageOf = (values: number[], resourceVersion: string, next: string | null = null) =>
  ok({ items: listed(values), next, resourceVersion, bytes: 1 })
const FIRST = pageOf([1], '10')
const SELECTION = { labelSelector: 'app=x', name: Subdomain.of('shop-1') }
const all = (...values: number[]) =>
  ({ kind: 'snapshot', items: listed(values), first: true, last: true }) as const

/** Watches that a test feeds: each call of `watch` takes the next script, and a script without an end stays open. */
function world(scripts: readonly (readonly (Line | 'stay')[])[]) {
  const leave = new AbortController()
  const begun: WatchStart[] = []
  const opened = Promise.withResolvers<void>()
  let say: (line: Line) => void = () => {}
  async function* watch(from: WatchStart) {
    begun.push(from)
    for (const line of scripts[begun.length - 1] ?? []) {
      if (line !== 'stay') {
        yield line
        continue
      }
      opened.resolve()
      while (!leave.signal.aborted) {
        const next = Promise.withResolvers<Line | undefined>()
        say = next.resolve
        leave.signal.addEventListener('abort', () => next.resolve(undefined), { once: true })
        const got = await next.promise
        if (got !== undefined) yield got
      }
    }
  }
  const pages: Result<Page<View>, ClusterFailure>[] = [FIRST]
  const asked: (string | null)[] = []
  const events = follow({
    list: async (after) => {
      asked.push(after)
      return pages.shift() ?? err({ kind: 'cluster_timeout' })
    },
    ...SELECTION,
    signal: leave.signal,
    pauseMs: PAUSE_MS,
    watch,
  })
  return {
    events,
    begun,
    pages,
    asked,
    leave,
    opened: opened.promise,
    say: (line: Line) => say(line),
  }
}

async function take(
  events: AsyncGenerator<FeedEvent<View>, unknown, void>,
  count: number,
): Promise<FeedEvent<View>[]> {
  const taken: FeedEvent<View>[] = []
  while (taken.length < count) {
    const next = await events.next()
    if (next.done === true) throw new Error('it ended')
    taken.push(next.value)
  }
  return taken
}

describe('follow', () => {
  test('tells everything first, then changes, in the order of their last change', async () => {
    const at = world([[set('a', 11), removed('b', 12), 'stay']])
    expect(await take(at.events, 3)).toStrictEqual([
      all(1),
      { kind: 'set', item: item('a', 11) },
      { kind: 'removed', item: item('b', 12) },
    ])
    expect(at.begun).toStrictEqual([{ resourceVersion: '10', ...SELECTION }])
    at.leave.abort()
  })

  test('tells everything page by page, each when the last was taken, and watches from the first', async () => {
    const at = world([['stay']])
    at.pages.splice(0, 1, pageOf([1, 2], '10', 'p2'), pageOf([3], '11', 'p3'), pageOf([4], '12'))
    expect(await take(at.events, 1)).toStrictEqual([
      { kind: 'snapshot', items: listed([1, 2]), first: true, last: false },
    ])
    expect(at.asked).toStrictEqual([null])
    expect(await take(at.events, 2)).toStrictEqual([
      { kind: 'snapshot', items: listed([3]), first: false, last: false },
      { kind: 'snapshot', items: listed([4]), first: false, last: true },
    ])
    expect(at.asked).toStrictEqual([null, 'p2', 'p3'])
    const next = at.events.next()
    await at.opened
    expect(at.begun).toStrictEqual([{ resourceVersion: '10', ...SELECTION }])
    at.leave.abort()
    await next
  })

  test('a list without an end is a failure', async () => {
    const at = world([])
    at.pages.splice(0, 1, ...Array.from({ length: 2_001 }, () => pageOf([1], '10', 'more')))
    await take(at.events, 2_000)
    expect(await at.events.next()).toMatchObject({ done: true, value: { kind: 'cluster_error' } })
    at.leave.abort()
  })

  test('begins anew when the cluster has forgotten the pages to come', async () => {
    const at = world([['stay']])
    at.pages.splice(0, 1, pageOf([1], '10', 'p2'), err({ kind: 'cluster_expired' }), FIRST)
    expect(await take(at.events, 2)).toStrictEqual([
      { kind: 'snapshot', items: listed([1]), first: true, last: false },
      all(1),
    ])
    expect(at.asked).toStrictEqual([null, 'p2', null])
    at.leave.abort()
  })

  test('what cannot be listed because the signal ended is no failure', async () => {
    const at = world([])
    at.pages.splice(0, 1, err({ kind: 'cluster_unreachable', reason: 'other' }))
    const next = at.events.next()
    at.leave.abort()
    expect(await next).toStrictEqual({ done: true, value: null })
  })

  test('sends one object once per pause, with its last state', async () => {
    const at = world([[set('a', 11), 'stay']])
    await take(at.events, 2)
    await at.opened
    for (const value of [12, 13, 14]) {
      at.say(set('a', value))
      await Bun.sleep(1)
    }
    expect(await take(at.events, 1)).toStrictEqual([{ kind: 'set', item: item('a', 14) }])
    at.leave.abort()
    expect(await at.events.next()).toStrictEqual({ done: true, value: null })
  })

  test('begins a watch that ended again where it ended, and does not hurry', async () => {
    const at = world([[set('a', 11)], [bookmark('20')], [set('b', 21), 'stay']])
    jest.useFakeTimers()
    const taken = take(at.events, 3)
    const passes = []
    for (const milliseconds of [0, PAUSE_MS - 1, 1, PAUSE_MS - 1, 1]) {
      jest.advanceTimersByTime(milliseconds)
      for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
      passes.push(at.begun.length)
    }
    expect(passes).toStrictEqual([1, 1, 2, 2, 3])
    await taken
    expect(at.begun.map(({ resourceVersion }) => resourceVersion)).toStrictEqual(['10', '11', '20'])
    at.leave.abort()
  })

  test('tells everything anew when the cluster has forgotten where it was', async () => {
    const at = world([[err({ kind: 'cluster_expired' })], [set('a', 91), 'stay']])
    at.pages.push(pageOf([50, 60], '90'))
    expect(await take(at.events, 3)).toStrictEqual([
      all(1),
      all(50, 60),
      { kind: 'set', item: item('a', 91) },
    ])
    expect(at.begun.at(-1)?.resourceVersion).toBe('90')
    at.leave.abort()
  })

  test('what changed before a failure is told, then the failure', async () => {
    const at = world([
      [set('a', 11), err({ kind: 'cluster_unreachable', reason: 'connection_reset' })],
    ])
    await take(at.events, 2)
    expect(await at.events.next()).toStrictEqual({
      done: true,
      value: { kind: 'cluster_unreachable', reason: 'connection_reset' },
    })
  })

  test('a list that fails after a gap is the end', async () => {
    const at = world([[err({ kind: 'cluster_expired' })]])
    at.pages.push(err({ kind: 'cluster_timeout' }))
    await take(at.events, 1)
    expect(await at.events.next()).toStrictEqual({
      done: true,
      value: { kind: 'cluster_timeout' },
    })
  })

  test('ends with its reader', async () => {
    const at = world([['stay']])
    await take(at.events, 1)
    const next = at.events.next()
    await at.opened
    at.leave.abort()
    expect(await next).toStrictEqual({ done: true, value: null })
  })

  test('asks for nothing when it has ended before', async () => {
    const at = world([['stay']])
    at.leave.abort()
    expect(await at.events.next()).toStrictEqual({ done: true, value: null })
    expect(at.asked).toStrictEqual([])
  })

  test('a bug in a watch is thrown to the reader', async () => {
    const broken = follow({
      list: async () => FIRST,
      labelSelector: null,
      signal: new AbortController().signal,
      // oxlint-disable-next-line require-yield
      watch: async function* () {
        throw new TypeError('a bug')
      },
    })
    await broken.next()
    expect(broken.next()).rejects.toThrow('a bug')
  })
})
