import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { lastLineOf } from '#src/lib/domain/gitops/trailer.ts'

describe('the last line of a text', () => {
  test.each([
    ['', ''],
    ['Portico-Run: 1', 'Portico-Run: 1'],
    ['Words\n\nPortico-Run: 1\r\n\n', 'Portico-Run: 1'],
    ['Portico-Run: 1\nmore é😀 \n', 'more é😀'],
    [`Words\n${'x'.repeat(1_001)}`, ''],
  ])('of %j', (text, line) => {
    expect(lastLineOf(text)).toBe(line)
  })

  test('keeps no other part of it in memory', () => {
    const size = 1_000_000
    const before = heapStats().extraMemorySize
    const lines = Array.from({ length: 50 }, (_, index) =>
      lastLineOf(`${'x'.repeat(size)}${index}\n\nPortico-Run: ${index}`),
    )
    Bun.gc(true)
    expect(heapStats().extraMemorySize - before).toBeLessThan(10 * size)
    expect(lines).toHaveLength(50)
  })
})
