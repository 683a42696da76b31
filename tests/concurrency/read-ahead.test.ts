import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readAhead } from '#src/lib/concurrency/read-ahead.ts'

test('outcomes come in order, each once, and no more than so many at a time', async () => {
  const delays = fc.array(fc.nat(5), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(delays, fc.integer({ min: 1, max: 5 }), async (ticks, ahead) => {
      let running = 0
      let most = 0
      const work = async (index: number) => {
        running += 1
        most = Math.max(most, running)
        for (let tick = ticks[index] ?? 0; tick > 0; tick -= 1) await Promise.resolve()
        running -= 1
        return index * 2
      }
      const outcomes = await Array.fromAsync(readAhead(ticks.keys(), ahead, work))
      expect(outcomes).toStrictEqual(ticks.map((_, index) => [index, index * 2]))
      expect(most).toBeLessThanOrEqual(ahead)
    }),
  )
})

test('nothing more is begun once the reader has left', async () => {
  const begun: number[] = []
  const work = (item: number) => Promise.resolve(void begun.push(item))
  for await (const [item] of readAhead([1, 2, 3, 4, 5], 2, work)) if (item === 1) break
  expect(begun).toStrictEqual([1, 2, 3])
})
