import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  checkJsonValue,
  ENTITY_BYTES_MAX,
  noJsonUsage,
} from '#src/lib/domain/catalog/json-value.ts'

const check = (value: unknown) => checkJsonValue(value, noJsonUsage())
const codes = (value: unknown) => check(value).map(({ code }) => code)

/** `doublings` lists, each of which has the one before twice. */
const bomb = (doublings: number, leaf: unknown): unknown => {
  let value = leaf
  for (let i = 0; i < doublings; i++) value = [value, value]
  return value
}
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = { a: value }
  return value
}
const cyclic: { list: unknown[] } = { list: [] }
cyclic.list.push(1, { back: cyclic })

describe('values', () => {
  // prettier-ignore
  test.each<[string, unknown, string[]]>([
    ['what JSON has',              { a: [1, -1.5, 'x', true, null, {}, []] }, []],
    ['the same value twice',       [cyclic.list.slice(0, 1), cyclic.list.slice(0, 1)], []],
    ['NaN',                        { a: [0, NaN] },                       ['document_not_json']],
    ['infinity',                   [-Infinity],                           ['document_not_json']],
    ['the last safe integer',      [Number.MAX_SAFE_INTEGER],             []],
    ['an integer beyond',          [2 ** 53, -(2 ** 53), 1e21],           ['number_imprecise', 'number_imprecise', 'number_imprecise']],
    ['a large fraction',           [1.5e10],                              []],
    ['a cycle',                    cyclic,                                ['document_cyclic']],
    ['64 deep',                    nested(64),                            []],
    ['65 deep',                    nested(65),                            ['yaml_too_deep']],
    ['a small bomb',               bomb(14, 1),                           []],
    ['a bomb',                     bomb(40, 1),                           ['document_too_large']],
    ['a bomb of empty lists',      bomb(40, []),                          ['document_too_large']],
    ['50,000 values',              Array(49_999).fill(0),                 []],
    ['50,001 values',              Array(50_000).fill(0),                 ['document_too_large']],
    ['a text at the limit',        'x'.repeat(ENTITY_BYTES_MAX),          []],
    ['a text beyond it',           'x'.repeat(ENTITY_BYTES_MAX + 1),      ['document_too_large']],
    ['a long text, often',         bomb(9, 'x'.repeat(1_000)),            ['document_too_large']],
    ['a long key, often',          bomb(9, { ['k'.repeat(1_000)]: 1 }),   ['document_too_large']],
  ])('%s', (_, value, expected) => {
    expect<string[]>(codes(value)).toStrictEqual(expected)
  })
})

test('a fault knows where it stands', () => {
  expect(check({ a: [1, { b: 2 ** 60 }], c: { d: NaN }, e: NaN })).toStrictEqual([
    {
      severity: 'warning',
      code: 'number_imprecise',
      path: ['a', 1, 'b'],
      message: 'a number this large loses digits; quote it to keep them',
    },
    {
      severity: 'error',
      code: 'document_not_json',
      path: ['c', 'd'],
      message: 'JSON has no infinity and no NaN',
    },
  ])
})

describe('the documents of one file', () => {
  // prettier-ignore
  test.each([
    ['values',     bomb(14, 1)],
    ['characters', 'x'.repeat(200_000)],
  ])('have %s for four documents together, give or take one', (_, value) => {
    const usage = noJsonUsage()
    const faults = Array.from({ length: 10 }, () => checkJsonValue(value, usage).length)
    expect(faults.slice(0, 4)).toStrictEqual([0, 0, 0, 0])
    expect(faults.slice(7)).toStrictEqual([1, 1, 1])
  })

  test('a document that is refused has used its part up', () => {
    const usage = noJsonUsage()
    for (let i = 0; i < 5; i++) checkJsonValue(bomb(40, 1), usage)
    expect(checkJsonValue(1, usage).map(({ code }) => code)).toStrictEqual(['document_too_large'])
  })
})

test('whatever JSON can say has no faults but for its size and its numbers', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      expect(check(value).filter(({ severity }) => severity === 'error')).toStrictEqual([])
    }),
  )
})
