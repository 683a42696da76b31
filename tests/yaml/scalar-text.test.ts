import { describe, expect, test } from 'bun:test'
import { readYaml } from '#src/lib/yaml/read.ts'
import { scalarText } from '#src/lib/yaml/scalar-text.ts'

function textAt(source: string, path: readonly (string | number)[]): string | undefined {
  const read = readYaml(source)
  return read.ok ? scalarText(read.value, path) : undefined
}

describe('the text of a scalar, as it is written', () => {
  const SOURCE = `images:
  - name: ghcr.io/acme/app
    newTag: 1.10
  - {name: b, newTag: 0777}
  - newTag: 12345e7 # c
  - newTag: "1.20"
  - newTag: 'it''s'
  - newTag: "\\x41"
  - newTag: 2026-11-21
  - newTag: !!str 1.0
  - newTag: yes
  - newTag: ~
  - newTag: ''
  - newTag:
  - newTag: &a 1.30
  - newTag: *a
  - newTag: [1]
  - newTag: >-
      a
      b
  - newTag: "~"
  - newTag: !!str ~
  - newTag: null
  - newTag: Null # c
  - newTag: nullable
---
images: [{newTag: other}]
`
  // prettier-ignore
  test.each([
    [0, '1.10'], [1, '0777'], [2, '12345e7'], [3, '1.20'], [4, "it's"], [5, 'A'], [6, '2026-11-21'], [7, '1.0'], [8, 'yes'], [9, undefined], [10, ''],
    [11, undefined], [12, '1.30'], [13, undefined], [14, undefined], [15, 'a b'],
    [16, '~'], [17, '~'], [18, undefined], [19, undefined], [20, 'nullable'], [21, undefined], [-1, undefined],
  ])('item %d', (index, text) => {
    expect(textAt(SOURCE, ['images', index, 'newTag'])).toBe(text)
  })

  // prettier-ignore
  test.each<[string, string, (string | number)[], string | undefined]>([
    ['of the document',      '1.10',              [],               '1.10'],
    ['none in a mapping',    'a: b',              [],               undefined],
    ['behind a scalar',      'a: b',              ['a', 'b'],       undefined],
    ['what is missing',      'a: b',              ['c'],            undefined],
    ['a key of every object', 'a: b',             ['constructor'],  undefined],
    ['with marks',           '\uFEFF--- {a: 1}',  ['a'],            '1'],
    ['in an empty file',     '',                  ['a'],            undefined],
    ['in a broken file',     'a: 1\na: 2',        ['a'],            undefined],
    ['behind a broken one',  'a: 1\n---\n[',      ['a'],            undefined],
  ])('%s', (_, source, path, text) => {
    expect(textAt(source, path)).toBe(text)
  })
})
