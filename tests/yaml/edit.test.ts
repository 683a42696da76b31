import { describe, expect, test } from 'bun:test'
import { removeKey, setScalar } from '#src/lib/yaml/edit.ts'
import type { YamlPath } from '#src/lib/yaml/outline.ts'
import { readYaml } from '#src/lib/yaml/read.ts'
import type { Scalar } from '#src/lib/yaml/scalar-style.ts'
import { valueOf } from '#tests/support/value-of.ts'

const fileOf = (source: string) => {
  return valueOf(readYaml(source))
}
const textOf = (edited: ReturnType<typeof setScalar>): string =>
  edited.ok ? edited.value.source : `refused: ${edited.error}`
const set = (source: string, path: YamlPath, value: Scalar) =>
  textOf(setScalar(fileOf(source), 0, path, value))
const remove = (source: string, path: YamlPath) => textOf(removeKey(fileOf(source), 0, path))

describe('a scalar', () => {
  // prettier-ignore
  test.each<[string, string, YamlPath, Scalar, string]>([
    ['a number for a number',        'a: 1 # one\n', ['a'], 2, 'a: 2 # one\n'],
    ['a number for a text in quotes', 'a: "1"\n', ['a'], 2, 'a: 2\n'],
    ['a truth value',                'a: {b: no}\n', ['a', 'b'], true, 'a: {b: true}\n'],
    ['in an item of a list',         'a:\n- x: 1\n- x: 2 # two\n', ['a', 1, 'x'], 3, 'a:\n- x: 1\n- x: 3 # two\n'],
    ['a text with a comma, in brackets', 'a: [b]\n', ['a', 0], 'c,d', "a: ['c,d']\n"],
    ['a key beside an item’s',       'a:\n  - x: 1 # one\n    # own\nb: 2\n', ['a', 0, 'z'], '1.10', "a:\n  - x: 1 # one\n    z: '1.10'\n    # own\nb: 2\n"],
    ['an item behind the last one',  'a:\n- x: 1\n# end\n', ['a', 1, 'x'], 'b', 'a:\n- x: 1\n- x: b\n# end\n'],
    ['an item of texts',             'a:\n    - b\n', ['a', 1], 'c', 'a:\n    - b\n    - c\n'],
    ['an item in brackets',          'a: [{x: 1}, ]\n', ['a', 1, 'x'], 'b', 'a: [{x: 1}, {x: b}, ]\n'],
    ['an item in empty brackets',    'a: []\n', ['a', 0, 'x'], 'b', 'a: [{x: b}]\n'],
    ['a list that is missing',       'z: 1\r\n', ['a', 0, 'x'], 'b', 'z: 1\r\na:\r\n  - x: b\r\n'],
    ['a list, four spaces',          'z:\n    y: 1\n', ['a', 0, 'x'], 'b', 'z:\n    y: 1\na:\n    - x: b\n'],
    ['not behind a gap of a list',   'a:\n- x: 1\n', ['a', 2, 'x'], 'b', 'refused: the edit would change more than this text'],
    ['not through a mapping',        'a: {x: 1}\n', ['a', 0, 'x'], 'b', 'refused: the path leads through a value that is not a list'],
  ])('%s', (_, source, path, value, is) => {
    expect(set(source, path, value)).toBe(is)
  })
})

describe('an entry is removed', () => {
  // prettier-ignore
  test.each<[string, string, YamlPath, string]>([
    ['with its line and its comment', 'a: 1\nb: 2 # two\n# own\nc: 3\n', ['b'], 'a: 1\n# own\nc: 3\n'],
    ['at the end',                    'a: 1\nb: 2', ['b'], 'a: 1'],
    ['at the end, with CRLF',         'a: 1\r\nb: 2', ['b'], 'a: 1'],
    ['CRLF',                          'a: 1\r\nb: 2\r\nc: 3\r\n', ['b'], 'a: 1\r\nc: 3\r\n'],
    ['without a value',               'a: 1\nb: # none\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['with a collection',             'a: 1\nb:\n  - x\n  - y: z\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['of several lines',              'a: 1\nb: "x\n  y"\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['the first one of an item',      'a:\n  - b: 1 # one\n    c: 2\n', ['a', 0, 'b'], 'a:\n  - c: 2\n'],
    ['the first, before a comment',   'a:\n  - b: 1\n    # own\n    c: 2\n', ['a', 0, 'b'], 'a:\n  - # own\n    c: 2\n'],
    ['the last one of an item',       'a:\n  - c: 2\n    b: 1\n  - d\n', ['a', 0, 'b'], 'a:\n  - c: 2\n  - d\n'],
    ['in braces, first',              'a: {b: 1, c: 2}\n', ['a', 'b'], 'a: {c: 2}\n'],
    ['in braces, between',            'a: {b: 1, c: 2, d: 3}\n', ['a', 'c'], 'a: {b: 1, d: 3}\n'],
    ['in braces, last',               'a: {b: 1, c: 2} # x\n', ['a', 'c'], 'a: {b: 1} # x\n'],
    ['in braces, with lines of its own', 'a: {\n  b: 1, # one\n  c: 2, # two\n  d: 3\n  }\n', ['a', 'c'], 'a: {\n  b: 1, # one\n  d: 3\n  }\n'],
    ['in braces, the last line',      'a: {\n  b: 1, # one\n  c: 2 # two\n  }\n', ['a', 'c'], 'a: {\n  b: 1, # one\n  }\n'],
    ['JSON',                          '{"a":{"b":1,"c":"2"}}', ['a', 'c'], '{"a":{"b":1}}'],
    ['that is not there',             'a: 1\n', ['b'], 'a: 1\n'],
    ['of a mapping that is not there', 'a: 1\n', ['b', 'c'], 'a: 1\n'],
    ['not the only one',              'a:\n  b: 1\n', ['a', 'b'], 'refused: the mapping would be empty'],
    ['not an item',                   'a: [b, c]\n', ['a', 0], 'refused: only an entry of a mapping can be removed'],
    ['nor what only a merge has',     'x: &x {b: 2}\na: {<<: *x, c: 1}\n', ['a', 'b'], 'refused: the mapping has a merge key'],
    ['not beside a merge key',        'x: &x {b: 2}\na: {<<: *x, b: 1}\n', ['a', 'b'], 'refused: the mapping has a merge key'],
    ['not an anchor that is used',    'a: &a 1\nb: *a\n', ['a'], 'refused: the edit would change more than this text'],
  ])('%s', (_, source, path, is) => {
    expect(remove(source, path)).toBe(is)
  })
})
