import { expect, test } from 'bun:test'
import { latestChanges, type Later } from '#src/lib/domain/clusters/follow.ts'
import type { Watch, WatchChange } from '#src/lib/ports/clusters.ts'
import { ok, type Result } from '#src/lib/result.ts'
import { liveObjects } from '#tests/support/live-objects.ts'

interface View {
  readonly uid: string
}

const UNSENT_MAX_BYTES = 32 * 1024 * 1024
const MEGABYTE = 1024 * 1024

const set = (uid: number, bytes = MEGABYTE): Result<WatchChange<View>, never> =>
  ok({ kind: 'set', item: { uid: String(uid) }, resourceVersion: '1', bytes })

function changesOf(watched: (signal: AbortSignal) => Watch<View>) {
  const leave = new AbortController()
  const changes = latestChanges({
    watch: () => watched(leave.signal),
    from: { resourceVersion: '0', labelSelector: null },
    signal: leave.signal,
    pauseMs: 1,
  })
  return { changes, leave }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Changes of so many objects, each told of so often, behind the back of a reader that has read one. */
async function unread(objects: number, times: number) {
  const behind = Promise.withResolvers<void>()
  const { changes, leave } = changesOf(async function* (signal) {
    yield set(0)
    await behind.promise
    for (let time = 0; time < times; time++) {
      for (let uid = 1; uid <= objects; uid++) yield set(uid)
    }
    await aborted(signal)
  })
  await changes.next()
  behind.resolve()
  await Bun.sleep(20)
  return { changes, leave }
}

const FIT = UNSENT_MAX_BYTES / MEGABYTE

test('while nobody reads, the last change of each object is kept', async () => {
  const { changes, leave } = await unread(FIT, 3)
  for (let sent = 0; sent < FIT; sent++) expect((await changes.next()).done).toBe(false)
  const next = changes.next()
  await Bun.sleep(5)
  expect(Bun.peek.status(next)).toBe('pending')
  leave.abort()
  await next
})

test('SEC-A4 a slow reader gets nothing more once their right has ended', async () => {
  const { changes, leave } = await unread(3, 1)
  expect(await changes.next()).toMatchObject({ done: false })
  leave.abort()
  expect(await changes.next()).toStrictEqual({ done: true, value: null })
})

test('when that becomes too much nothing of it is kept, and a new list is due', async () => {
  const { changes } = await unread(FIT + 1, 1)
  expect(await changes.next()).toStrictEqual({ done: true, value: { kind: 'cluster_expired' } })
})

test('a bug in a watch waits for who reads, and disturbs nobody else', async () => {
  const { changes } = changesOf(async function* () {
    yield set(1)
    throw new TypeError('a bug')
  })
  expect(await changes.next()).toMatchObject({ value: { kind: 'set' } })
  await Bun.sleep(5)
  expect(changes.next()).rejects.toThrow('a bug')
  await Bun.sleep(5)
})

test('a view that changes by itself is sent then, unless it was changed or removed before', async () => {
  const at = (name: string): Later<View & { readonly name: string }> => ({
    afterMs: name === 'never' ? 1_000_000_000_000 : 20,
    view: { uid: name, name: 'later' },
  })
  const set = (name: string, uid = name) =>
    ok({ kind: 'set', item: { uid, name }, resourceVersion: '1', bytes: 1 } as const)
  const removed = ok({ ...set('removed').value, kind: 'removed' } as const)
  const leave = new AbortController()
  const changes = latestChanges({
    async *watch() {
      yield set('of the watch')
      yield set('never')
      yield set('settled', 'changed')
      yield removed
      await aborted(leave.signal)
    },
    from: { resourceVersion: '0', labelSelector: null },
    signal: leave.signal,
    later: ({ name }) => (name === 'settled' ? null : at(name)),
    changing: ['of the list', 'changed', 'removed'].map((name) => ({ uid: name, name })),
    pauseMs: 1,
  })
  const sent: string[] = []
  for await (const event of changes) {
    if (event.kind === 'snapshot') continue
    if (sent.push(`${event.kind} ${event.item.uid} ${event.item.name}`) === 6) break
  }
  leave.abort()
  expect(sent.toSorted()).toStrictEqual([
    'removed removed removed',
    'set changed settled',
    'set never never',
    'set of the list later',
    'set of the watch later',
    'set of the watch of the watch',
  ])
})

test('changes that were sent leave nothing behind', async () => {
  const { changes, leave } = changesOf(async function* (signal) {
    while (!signal.aborted) {
      yield set(1, 1)
      // Longer than the pause: the reader waits.
      await Bun.sleep(3)
    }
  })
  const read = async (times: number) => {
    for (let time = 0; time < times; time++) await changes.next()
    return liveObjects()
  }
  const before = await read(30)
  expect((await read(200)) - before).toBeLessThan(200)
  leave.abort()
})
