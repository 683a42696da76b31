import { expect, test } from 'bun:test'
import { mergedText } from '#src/lib/domain/promotion/overlay/merged-lines.ts'
import { manyLines } from '#tests/support/many-lines.ts'

/** To compare them takes minutes. */
test('there is no merge where a side changed thousands of lines', () => {
  const before = `a: 1\n${manyLines(1)}`
  const proposed = before.replace('a: 1', 'a: 2')
  const now = `a: 1\n${manyLines(2)}`
  expect(mergedText({ before, proposed, now })).toBeUndefined()
})

const text = (lines: string) => lines.replaceAll(' ', '\n') + (lines === '' ? '' : '\n')

// prettier-ignore
test.each([
  ['what nobody changed',                   'a b c',   'a b c',     'a b c',     'a b c'],
  ['what was proposed',                     'a b c',   'a B c',     'a b c',     'a B c'],
  ['what the default branch has changed',   'a b c',   'a b c',     'a B c',     'a B c'],
  ['neighbours',                            'a b c',   'a B c',     'a b C',     'a B C'],
  ['neighbours, the other way round',       'a b c',   'a b C',     'a B c',     'a B C'],
  ['a line that was inserted above',        'a b c',   'a B c',     'x a b c',   'x a B c'],
  ['a proposed line at the end',            'a b',     'a b c',     'A b',       'A b c'],
  ['a proposed line at the beginning',      'a b',     'x a b',     'a B',       'x a B'],
  ['a proposed line between',               'a b c',   'a x b c',   'a b C',     'a x b C'],
  ['a line that was taken away',            'a b c',   'a c',       'a b C',     'a C'],
  ['several places',                        'a b c d', 'A b c D',   'a B c d',   'A B c D'],
  ['the same change on both sides',         'a b c',   'a B c',     'a B c',     'a B c'],
  ['a line of several that are equal',      'a x b x', 'a x b Y',   'a x x b x', 'a x x b Y'],
])('a merge has %s', (_, before, proposed, now, expected) => {
  const versions = { before: text(before), proposed: text(proposed), now: text(now) }
  expect(mergedText(versions)).toBe(text(expected))
})

// prettier-ignore
test.each([
  ['changed the same line',                 'a b c', 'a B c',   'a x c'],
  ['changed one of the lines',              'a b c', 'A B c',   'a b2 c'],
  ['changed one in the middle',             'a b c', 'A B C',   'a x c'],
  ['took the place of one that is gone',    'a b c', '',        'a x c'],
  ['took the line away',                    'a b c', 'a B c',   'a c'],
  ['inserted something in the same place',  'a b',   'a x b',   'a y b'],
  ['inserted something between the lines',  'a b c', 'A B c',   'a x b c'],
])('there is no merge where both sides %s', (_, before, proposed, now) => {
  const versions = { before: text(before), proposed: text(proposed), now: text(now) }
  expect(mergedText(versions)).toBeUndefined()
})

test('a merge keeps line ends, and a last line without one', () => {
  const versions = { before: 'a\r\nb\r\nc', proposed: 'a\r\nB\r\nc', now: 'A\r\nb\r\nc' }
  expect(mergedText(versions)).toBe('A\r\nB\r\nc')
})

test('a merge of a file that one side does not have is that of the other, if that left it as it was', () => {
  expect(mergedText({ before: undefined, proposed: 'a', now: undefined })).toBe('a')
  expect(mergedText({ before: 'a', proposed: 'a', now: undefined })).toBeUndefined()
  expect(mergedText({ before: 'a', proposed: 'b', now: undefined })).toBeUndefined()
})
