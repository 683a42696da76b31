import { expect, test } from 'bun:test'
import { createSemaphore } from '#src/lib/concurrency/semaphore.ts'

/** Work that ends when it is told to. */
function createWorks(atOnce: number) {
  const inTurn = createSemaphore(atOnce)
  const inside: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  return {
    inside,
    start(name: string) {
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      return inTurn(async () => {
        inside.push(name)
        await end.promise
        inside.splice(inside.indexOf(name), 1)
        return name
      })
    },
    async end(name: string, cause?: Error) {
      if (cause === undefined) ends.get(name)?.resolve()
      else ends.get(name)?.reject(cause)
      await Bun.sleep(1)
    },
  }
}

test('so many are inside at once, and the others come in the order in which they came', async () => {
  const works = createWorks(2)
  const all = ['a', 'b', 'c', 'd'].map((name) => works.start(name))
  await Bun.sleep(1)
  expect(works.inside).toStrictEqual(['a', 'b'])
  await works.end('b')
  expect(works.inside).toStrictEqual(['a', 'c'])
  // A place that was handed over is not free.
  void works.start('e')
  await Bun.sleep(1)
  expect(works.inside).toStrictEqual(['a', 'c'])
  for (const name of ['a', 'c', 'd']) await works.end(name)
  expect(works.inside).toStrictEqual(['e'])
  expect(await Promise.all(all)).toStrictEqual(['a', 'b', 'c', 'd'])
  void works.start('f')
  await Bun.sleep(1)
  expect(works.inside).toStrictEqual(['e', 'f'])
})

test('who fails leaves like everybody else', async () => {
  const works = createWorks(1)
  const failing = works.start('a').catch((cause: Error) => cause.message)
  void works.start('b')
  await works.end('a', new Error('no'))
  expect(await failing).toBe('no')
  expect(works.inside).toContain('b')
})

test('who gives up waiting leaves the line, and does not end the work of others', async () => {
  const inTurn = createSemaphore(1)
  const end = Promise.withResolvers<void>()
  const first = inTurn(() => end.promise)
  const leaving = new AbortController()
  const began: string[] = []
  const left = inTurn(async () => began.push('left'), leaving.signal).catch(String)
  const next = inTurn(async () => began.push('next'))
  leaving.abort('gone')
  expect(await left).toBe('gone')
  end.resolve()
  await Promise.all([first, next])
  expect(began).toStrictEqual(['next'])
  expect(await inTurn(async () => 1, leaving.signal).catch(String)).toBe('gone')
  expect(await inTurn(async () => 'free')).toBe('free')
})
