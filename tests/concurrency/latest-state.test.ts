import { expect, test } from 'bun:test'
import { currentPerson, onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { createLatestState } from '#src/lib/concurrency/latest-state.ts'

const EVERY_MS = 5

/** A state that a test changes, and how often it was read. */
function world({ everyMs = 60_000 }: { readonly everyMs?: number } = {}) {
  const at = {
    revision: '1' as string | undefined,
    reads: 0,
    bugs: [] as unknown[],
    readers: new Set<string | null>(),
    pace: Promise.resolve(),
    failure: undefined as Error | undefined,
  }
  const state = createLatestState({
    everyMs,
    onBug: (bug) => at.bugs.push(bug),
    async read() {
      at.reads += 1
      at.readers.add(currentPerson())
      const { revision } = at
      await at.pace
      if (at.failure !== undefined) throw at.failure
      return revision === undefined ? undefined : { revision }
    },
  })
  return { at, state }
}

const revisionOf = async (states: AsyncGenerator<{ readonly revision: string }, void, void>) =>
  (await states.next()).value?.revision

test('a follower gets the state now and each later one, from one reader for all', async () => {
  const { at, state } = world()
  const ending = new AbortController()
  const followers = [state.follow(ending.signal), state.follow(ending.signal)]
  expect(await Promise.all(followers.map(revisionOf))).toStrictEqual(['1', '1'])
  expect(at.reads).toBe(1)
  const next = Promise.all(followers.map(revisionOf))
  at.revision = '2'
  state.refresh()
  expect(await next).toStrictEqual(['2', '2'])
  expect(at.reads).toBe(2)
  ending.abort()
  expect(await Promise.all(followers.map(revisionOf))).toStrictEqual([undefined, undefined])
})

test('the reader is nobody’s: who follows first may have much else under way', async () => {
  const { at, state } = world({ everyMs: EVERY_MS })
  const ending = new AbortController()
  const states = state.follow(ending.signal)
  await onBehalfOf('hog', () => revisionOf(states))
  while (at.reads < 3) await Bun.sleep(EVERY_MS)
  onBehalfOf('hog', () => state.refresh())
  expect([...at.readers]).toStrictEqual([null])
  ending.abort()
})

test('a slow follower gets the last of several states', async () => {
  const { at, state } = world()
  const ending = new AbortController()
  const slow = state.follow(ending.signal)
  const quick = state.follow(ending.signal)
  await Promise.all([slow, quick].map(revisionOf))
  for (const revision of ['2', '3']) {
    at.revision = revision
    state.refresh()
    expect(await revisionOf(quick)).toBe(revision)
  }
  expect(await revisionOf(slow)).toBe('3')
  ending.abort()
})

test('a change during a read is read too', async () => {
  const { at, state } = world()
  const pace = Promise.withResolvers<void>()
  at.pace = pace.promise
  const ending = new AbortController()
  const states = state.follow(ending.signal)
  const first = revisionOf(states)
  await Bun.sleep(1)
  at.revision = '2'
  state.refresh()
  pace.resolve()
  await first
  expect(await revisionOf(states)).toBe('2')
  ending.abort()
})

test('a change that nobody announces is found', async () => {
  const { at, state } = world({ everyMs: EVERY_MS })
  const ending = new AbortController()
  const states = state.follow(ending.signal)
  await revisionOf(states)
  at.revision = '2'
  expect(await revisionOf(states)).toBe('2')
  ending.abort()
})

test('a state that cannot be read is awaited, whatever the reason', async () => {
  const { at, state } = world({ everyMs: EVERY_MS })
  const ending = new AbortController()
  at.revision = undefined
  const first = revisionOf(state.follow(ending.signal))
  at.failure = new TypeError('a bug')
  while (at.bugs.length === 0) await Bun.sleep(1)
  at.failure = undefined
  at.revision = '2'
  expect(await first).toBe('2')
  ending.abort()
})

test('without followers nothing is read, and the next one gets no old state', async () => {
  const { at, state } = world({ everyMs: EVERY_MS })
  state.refresh()
  expect(at.reads).toBe(0)
  const states = state.follow(new AbortController().signal)
  await revisionOf(states)
  await states.return()
  const { reads } = at
  at.revision = '2'
  state.refresh()
  await Bun.sleep(5 * EVERY_MS)
  expect(at.reads).toBe(reads)
  expect(await revisionOf(state.follow(new AbortController().signal))).toBe('2')
})
