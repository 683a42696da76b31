import { expect, test } from 'bun:test'
import { blocksOf, LINES_MAX, printed, type TextBlock } from '#src/console/ui/text-blocks.ts'

const shape = (blocks: readonly TextBlock[]): unknown =>
  blocks.map(({ line, inside }) =>
    inside.length === 0 ? line.trim() : [line.trim(), shape(inside)],
  )

// prettier-ignore
test.each([
  ['a: 1\nb:\n  c: 2\n\n  d: 3\ne: 4', ['a: 1', ['b:', ['c: 2', '', 'd: 3']], 'e: 4']],
  ['type A {\n  b: Int\n}\r\n',        [['type A {', ['b: Int']], '}']],
  ['    a\n  b\n c',                   ['a', 'b', 'c']],
  ['',                                 ['']],
])('%j is a tree by its indentation', (text, tree) => {
  expect(shape(blocksOf(text))).toStrictEqual(tree)
  expect(blocksOf(text).flatMap(linesOf)).toStrictEqual(text.trimEnd().split(/\r?\n/))
})

const linesOf = ({ line, inside }: TextBlock): readonly string[] => [
  line,
  ...inside.flatMap(linesOf),
]

test('a text is neither deeper nor longer than can be drawn', () => {
  const stairs = Array.from({ length: 6_000 }, (_, depth) => `${' '.repeat(depth)}a`).join('\n')
  const depthOf = (blocks: readonly TextBlock[]): number =>
    blocks.reduce((deepest, { inside }) => Math.max(deepest, 1 + depthOf(inside)), 0)
  expect(depthOf(blocksOf(stairs))).toBeLessThan(40)
  expect(blocksOf(stairs).flatMap(linesOf)).toHaveLength(LINES_MAX)
})

// prettier-ignore
test.each([
  ['{"a":{"b":1}}', '{\n  "a": {\n    "b": 1\n  }\n}'],
  ['{broken',       '{broken'],
  ['a: {b: 1}',     'a: {b: 1}'],
])('%j is printed as %j', (text, lines) => {
  expect(printed(text)).toBe(lines)
})
