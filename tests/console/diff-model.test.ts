import { describe, expect, test } from 'bun:test'
import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { parseDiff } from '#src/console/ui/diff-model.ts'

const SIGNS = { context: ' ', add: '+', remove: '-' } as const

/** Each line as its sign and text. */
const lines = (text: string) =>
  parseDiff(text).flatMap(({ hunks }) =>
    hunks.flat().map(({ kind, text, endsFile }) => SIGNS[kind] + text + (endsFile ? '$' : '')),
  )

test('no text has no files', () => {
  expect(parseDiff('')).toStrictEqual([])
})

test('lines of a changed file', () => {
  const text = createTwoFilesPatch('a/app/x.yaml', 'b/app/x.yaml', 'a\nb\nc\n', 'a\nB\nc\nd\n')
  expect(parseDiff(text)).toMatchObject([
    {
      oldPath: 'app/x.yaml',
      newPath: 'app/x.yaml',
      added: 2,
      removed: 1,
    },
  ])
  expect(lines(text)).toStrictEqual([' a', '-b', '+B', ' c', '+d'])
})

test('a new file', () => {
  const text = createTwoFilesPatch('/dev/null', 'b/new.yaml', '', 'one\ntwo', '', '')
  expect(parseDiff(text)).toMatchObject([
    { oldPath: null, newPath: 'new.yaml', added: 2, removed: 0 },
  ])
  expect(lines(text)).toStrictEqual(['+one', '+two$'])
})

test('files without headers of git', () => {
  const text =
    createTwoFilesPatch('a/x', 'b/x', '1\n', '2\n') +
    createTwoFilesPatch('a/y', 'b/y', '3\n', '4\n')
  expect(parseDiff(text).map(({ newPath, added }) => [newPath, added])).toStrictEqual([
    ['x', 1],
    ['y', 1],
  ])
})

test('a deleted file', () => {
  const text = createTwoFilesPatch('a/old.yaml', '/dev/null', 'one\n', '')
  expect(parseDiff(text)).toMatchObject([{ oldPath: 'old.yaml', newPath: null, removed: 1 }])
})

test('an unchanged file has no hunks', () => {
  const text = createTwoFilesPatch('a/x', 'b/x', 'one\n', 'one\n')
  expect(parseDiff(text)).toMatchObject([{ newPath: 'x', hunks: [], added: 0, removed: 0 }])
})

test('lines that look like headers are lines inside a hunk', () => {
  const before = '-- a/x\n@@ -1 +1 @@\ndiff --git a/x b/x\nend\n'
  const after = '++ b/x\n@@ -1 +1 @@\n\\ No newline at end of file\nend\n'
  const text = createTwoFilesPatch('a/x', 'b/x', before, after)
  expect(lines(text)).toStrictEqual([
    '--- a/x',
    '+++ b/x',
    ' @@ -1 +1 @@',
    '-diff --git a/x b/x',
    '+\\ No newline at end of file',
    ' end',
  ])
})

test('a carriage return is part of a line', () => {
  const text = createTwoFilesPatch('a/x', 'b/x', 'a\r\nb\r\n', 'a\r\nb\n')
  expect(lines(text)).toStrictEqual([' a\r', '-b\r', '+b'])
})

describe('any two texts', () => {
  const line = fc.constantFrom(
    '',
    'a',
    'b',
    '- x',
    '-- x',
    '++ y',
    '@@ -1 +1 @@',
    '\\ none',
    'c\r',
    ' d',
  )
  const content = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([all, isEnded]) => all.join('\n') + (isEnded && all.length > 0 ? '\n' : ''))

  test('the lines of the old and of the new file are in the diff', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const text = createTwoFilesPatch('a/x', 'b/x', before, after, '', '', { context: 1_000 })
        const all = parseDiff(text).flatMap(({ hunks }) => hunks.flat())
        if (all.length === 0) return
        const side = (kind: string) =>
          all
            .filter((each) => each.kind === 'context' || each.kind === kind)
            .map((each) => each.text + (each.endsFile ? '' : '\n'))
            .join('')
        expect(side('remove')).toBe(before)
        expect(side('add')).toBe(after)
      }),
    )
  })
})
