import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addressOf,
  appendLines,
  asWritten,
  BLOCK_LINES,
  CHARACTERS_MAX,
  countLines,
  createLineFinder,
  levelOf,
  LINES_MAX,
  linesFrom,
  NO_LINES,
  textOf,
} from '#src/console/ui/log-lines.ts'

const lines = (...texts: string[]) => texts.map((text) => ({ text, isCut: false }))
const numbered = (from: number, count: number) =>
  lines(...Array.from({ length: count }, (_, index) => `line ${from + index}`))

test('lines are shown without escapes, and a cut line stays one', () => {
  const log = appendLines(NO_LINES, [
    ...lines('\u001b[31mred\u001b[0m\u0007'),
    { text: 'x', isCut: true },
  ])
  expect(log).toStrictEqual({
    dropped: 0,
    blocks: [
      {
        first: 0,
        lines: [
          {
            raw: '\u001b[31mred\u001b[0m\u0007',
            text: 'red␇',
            spans: [
              { text: 'red', classes: 'ansi-red' },
              { text: '␇', classes: '' },
            ],
            isCut: false,
          },
          { raw: 'x', text: 'x', spans: [{ text: 'x', classes: '' }], isCut: true },
        ],
      },
    ],
  })
  expect(textOf(log)).toBe('red␇\nx\n')
})

test('a line of several containers begins with its pod, and its JSON is opened', () => {
  const at = '2026-11-28T09:30:00.123456789Z shop-1/app'
  const log = appendLines(NO_LINES, lines(`${at} {"level":"warn","msg":"slow"}`, `${at} panic: a`))
  expect(textOf(log)).toBe('shop-1/app WARN slow\nshop-1/app 09:30:00.123 panic: a\n')
  expect(log.blocks[0]?.lines.map(levelOf)).toStrictEqual(['warn', 'bad'])
  expect(textOf(asWritten(log))).toContain(`${at} {"level"`)
})

test.each([
  ['2026-11-28T09:30:00Z ERROR no route to host', 'bad'],
  ['level=fatal msg="out of memory"', 'bad'],
  ['{"level":50,"msg":"refused"}', 'bad'],
  ['{"severity": "Error"}', 'bad'],
  ['panic: runtime error', 'bad'],
  ['{"level":"warn","msg":"slow"}', 'warn'],
  ['WARNING: deprecated', 'warn'],
  ['finished with 0 errors', undefined],
  ['{"level":30,"msg":"error budget left"}', undefined],
] as const)('the level of %j is %p', (text, level) => {
  expect(levelOf({ text })).toBe(level)
})

// prettier-ignore
test.each([
  ['all',  'INFO a\nERROR b\nWARN c\nFATAL d\n'],
  ['warn', 'ERROR b\nWARN c\nFATAL d\n'],
  ['bad',  'ERROR b\nFATAL d\n'],
] as const)('lines from %s are numbered anew', (least, text) => {
  const log = appendLines(NO_LINES, lines('INFO a', 'ERROR b', 'WARN c', 'FATAL d'))
  expect(textOf(linesFrom(log, least))).toBe(text)
  expect(linesFrom(log, least).blocks.map(({ first }) => first)).toStrictEqual([0])
})

test('JSON is opened, and can be read as it was written', () => {
  const json = '{"level":50,"time":"09:30","msg":"refused","tries":3}'
  const log = appendLines(NO_LINES, lines(json))
  expect(textOf(log)).toBe('09:30 ERROR refused tries=3\n')
  expect(textOf(asWritten(log))).toBe(`${json}\n`)
  expect(asWritten(log).blocks[0]).toBe(asWritten(log).blocks[0])
})

test('a line is found by its address, however many are before it', () => {
  const log = appendLines(NO_LINES, numbered(0, 250))
  const address = addressOf({ raw: 'line 123' })
  expect(createLineFinder(address)(log)).toBe(123)
  expect(createLineFinder(address)(asWritten(log))).toBe(123)
  expect(createLineFinder('00000000')(log)).toBeUndefined()
})

test('no lines change nothing', () => {
  expect(appendLines(NO_LINES, [])).toBe(NO_LINES)
})

test('a full block stays the same object', () => {
  const before = appendLines(NO_LINES, numbered(0, BLOCK_LINES + 1))
  const after = appendLines(before, numbered(BLOCK_LINES + 1, 3))
  expect(after.blocks[0]).toBe(before.blocks[0])
  expect(after.blocks[1]).not.toBe(before.blocks[1])
})

test('lines are numbered on, whatever the sizes of the parts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3 * BLOCK_LINES }), { maxLength: 40 }),
      (sizes) => {
        let total = 0
        let log = NO_LINES
        for (const size of sizes) {
          log = appendLines(log, numbered(total, size))
          total += size
        }
        expect(log.dropped + countLines(log)).toBe(total)
        expect(countLines(log)).toBeLessThan(LINES_MAX + BLOCK_LINES)
        expect(countLines(log)).toBeGreaterThanOrEqual(Math.min(total, LINES_MAX))
        let next = log.dropped
        for (const block of log.blocks) {
          expect(block.first).toBe(next)
          expect(block.lines[0]?.text).toBe(`line ${next}`)
          next += block.lines.length
        }
      },
    ),
    { numRuns: 30 },
  )
})

test('long lines drop others sooner', () => {
  const long = 'x'.repeat(8_000)
  let log = NO_LINES
  for (let index = 0; index < 20; index++) {
    log = appendLines(log, lines(...Array.from({ length: BLOCK_LINES }, () => long)))
  }
  expect(textOf(log).length).toBeLessThan(CHARACTERS_MAX + BLOCK_LINES * 8_001)
  expect(log.dropped).toBe(20 * BLOCK_LINES - countLines(log))
})

describe('one append of more than is kept', () => {
  test('keeps the last lines', () => {
    const log = appendLines(NO_LINES, numbered(0, 3 * LINES_MAX))
    expect(log.blocks.at(-1)?.lines.at(-1)?.text).toBe(`line ${3 * LINES_MAX - 1}`)
    expect(countLines(log)).toBe(LINES_MAX)
  })
})
