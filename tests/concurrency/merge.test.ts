import { expect, test } from 'bun:test'
import { merge } from '#src/lib/concurrency/merge.ts'

const never = new AbortController().signal

/** Yields `values` when they are allowed to come, and counts how often it was asked. */
function source(...values: readonly (string | Promise<string>)[]) {
  const state = { asked: 0, isClosed: false }
  async function* yieldAll() {
    try {
      for (const value of values) {
        state.asked += 1
        yield await value
      }
      state.asked += 1
    } finally {
      state.isClosed = true
    }
  }
  return { state, values: yieldAll() }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) =>
    signal.addEventListener('abort', () => resolve('late'), { once: true }),
  )

test('all values come, those of a source in order, and the end is that of the last source', async () => {
  const slow = Promise.withResolvers<string>()
  const merged = merge([source('a1', 'a2').values, source(slow.promise, 'b2').values], never)
  expect([(await merged.next()).value, (await merged.next()).value]).toStrictEqual(['a1', 'a2'])
  slow.resolve('b1')
  expect(await Array.fromAsync(merged)).toStrictEqual(['b1', 'b2'])
})

test('without sources there is nothing to wait for', async () => {
  expect(await Array.fromAsync(merge([], never))).toStrictEqual([])
})

test('a slow reader holds one value of each source, and no source holds up another', async () => {
  const busy = source('a1', 'a2', 'a3')
  const other = source('b1')
  const merged = merge([busy.values, other.values], never)
  expect((await merged.next()).value).toBe('a1')
  await Bun.sleep(1)
  expect([busy.state.asked, other.state.asked]).toStrictEqual([1, 1])
  expect([(await merged.next()).value, (await merged.next()).value]).toStrictEqual(['b1', 'a2'])
})

test('an abort ends it, whatever waits, and closes the sources', async () => {
  const ending = new AbortController()
  const sources = [source('a1', 'a2'), source(untilAborted(ending.signal))]
  const merged = merge(
    sources.map(({ values }) => values),
    ending.signal,
  )
  await merged.next()
  await Bun.sleep(1)
  ending.abort()
  expect(await Array.fromAsync(merged)).toStrictEqual([])
  await Bun.sleep(1)
  expect(sources.map(({ state }) => state.isClosed)).toStrictEqual([true, true])
})

test('a reader that leaves closes the sources', async () => {
  const { state, values } = source('a1', 'a2')
  const merged = merge([values], never)
  await merged.next()
  await merged.return()
  await Bun.sleep(1)
  expect(state.isClosed).toBe(true)
})
