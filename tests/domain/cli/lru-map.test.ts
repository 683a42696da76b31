import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLruMap } from '#src/lib/domain/cli/lru-map.ts'

test('what was not asked for longest goes first', () => {
  const map = createLruMap<number>(3)
  for (const key of ['a', 'b', 'c']) map.set(key, 1)
  map.get('a')
  map.set('d', 1)
  expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toStrictEqual([1, undefined, 1, 1])
})

test('it never holds more than it may, and all of what there is room for', () => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 12 }))
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const map = createLruMap<number>(10)
      for (const [key, size] of steps) {
        if (size === 12) map.delete(key)
        else map.set(key, size, size)
        expect(map.get(key)).toBe(size > 10 ? undefined : size)
        const held = ['a', 'b', 'c', 'd', 'e'].map((each) => map.get(each) ?? 0)
        expect(held.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10)
      }
    }),
  )
})
