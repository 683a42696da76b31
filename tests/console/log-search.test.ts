import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { appendLines, BLOCK_LINES, NO_LINES } from '#src/console/ui/log-lines.ts'
import { createLogSearch, markSpans, MATCHES_MAX, stepTo } from '#src/console/ui/log-search.ts'

const logOf = (...texts: string[]) =>
  appendLines(
    NO_LINES,
    texts.map((text) => ({ text, isCut: false })),
  )
const found = (text: string, ...texts: string[]) =>
  createLogSearch(text)
    .in(logOf(...texts))
    .map(({ line, start, end }) => [line, start, end])

describe('places of a text', () => {
  /** Each place as its line, its start and its end. */
  test.each<[string, readonly string[], string]>([
    ['', ['anything'], ''],
    ['error', ['an Error', 'fine', 'ERROR error'], '0:3-8 2:0-5 2:6-11'],
    ['a.c', ['abc a.c'], '0:4-7'],
    ['[x]\\d$', ['[x]\\d$'], '0:0-6'],
    ['i', ['İi'], '0:1-2'],
    ['red line', ['\u001b[31mred\u001b[0m line'], '0:0-8'],
    ['aa', ['aaaa'], '0:0-2 0:2-4'],
    ['␛', ['\u001b]8'], '0:0-1'],
  ])('%j in %j', (text, texts, places) => {
    const shown = found(text, ...texts).map(([line, start, end]) => `${line}:${start}-${end}`)
    expect(shown.join(' ')).toBe(places)
  })

  test('every text finds itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), (text) => {
        expect(found(text, `é${text}`)[0]).toStrictEqual([0, 1, 1 + text.length])
      }),
    )
  })

  test('a text in the line after a dropped one keeps the number of its line', () => {
    const log = appendLines(logOf(...Array.from({ length: BLOCK_LINES + 2 }, () => 'x')), [
      { text: 'needle', isCut: false },
    ])
    const { blocks } = log
    expect(
      createLogSearch('needle').in({ blocks: blocks.slice(1), dropped: BLOCK_LINES }),
    ).toStrictEqual([{ line: BLOCK_LINES + 2, start: 0, end: 6 }])
  })

  test('a block is searched once', () => {
    const [block] = logOf('x y', 'x').blocks
    const search = createLogSearch('x')
    const found = block && search.inBlock(block)
    expect(found).toHaveLength(2)
    expect(block && search.inBlock(block)).toBe(found)
  })

  test('at most so many are listed', () => {
    const [block] = logOf('x'.repeat(5_000), 'x').blocks
    expect(block && createLogSearch('x').inBlock(block)).toHaveLength(MATCHES_MAX)
    expect(found('x', 'x'.repeat(5_000), 'x')).toHaveLength(MATCHES_MAX)
  })
})

test('marks cut spans and keep their looks', () => {
  const spans = [
    { text: 'one ', classes: 'ansi-red' },
    { text: 'two', classes: '' },
  ]
  const matches = [
    { line: 0, start: 2, end: 5 },
    { line: 0, start: 6, end: 7 },
  ]
  expect(
    markSpans(spans, matches).map(({ text, classes, match }) => [text, classes, match?.start]),
  ).toStrictEqual([
    ['on', 'ansi-red', undefined],
    ['e ', 'ansi-red', 2],
    ['t', '', 2],
    ['w', '', undefined],
    ['o', '', 6],
  ])
})

test('marked spans have the text of the line, and marks that of the matches', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'ab', 'ba', '\u001b[31m', 'A')), (parts) => {
      const log = logOf(parts.join(''))
      const line = log.blocks[0]?.lines[0]
      if (line === undefined) return
      const matches = createLogSearch('a').in(log)
      const marked = markSpans(line.spans, matches)
      expect(marked.map(({ text }) => text).join('')).toBe(line.text)
      expect(marked.filter(({ match }) => match !== null).map(({ text }) => text)).toStrictEqual(
        matches.map(({ start, end }) => line.text.slice(start, end)),
      )
    }),
  )
})

test.each([
  [0, null, 1, null],
  [3, null, 1, 0],
  [3, null, -1, 2],
  [3, 2, 1, 0],
  [3, 0, -1, 2],
  [3, 1, 1, 2],
] as const)('of %d matches, from %p by %d to %p', (count, place, step, next) => {
  expect(stepTo(count, place, step)).toBe(next)
})
