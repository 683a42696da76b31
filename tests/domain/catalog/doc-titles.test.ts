import { expect, test } from 'bun:test'
import { titleIn } from '#src/lib/domain/catalog/entity-docs.ts'
import { growth, LINEAR_GROWTH_MAX } from '#tests/support/processor-time.ts'

test.each([
  ['', undefined],
  ['No heading', undefined],
  ['# A *plain* title #\n', 'A plain title'],
  ['Before\n# The C# guide ##\nAfter', 'The C# guide'],
])('the title of %p is %p', (text, title) => {
  expect(titleIn(text)).toBe(title)
})

test('a heading of many spaces takes a time that grows with it', () => {
  const ofSpaces = (count: number) => {
    const text = `# Rules ${' '.repeat(count)}x`
    return () => titleIn(text)
  }
  // An expression that goes back over the spaces takes a second.
  expect(growth(2_000, ofSpaces)).toBeLessThan(LINEAR_GROWTH_MAX)
})
