import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { growth, LINEAR_GROWTH_MAX } from '#tests/support/processor-time.ts'
import { createListScanner } from '#src/lib/adapters/clusters/kubernetes/list-scanner.ts'

/** Feeds a text in pieces that end at these places. */
function scan(text: string, cuts: readonly number[] = [], maxBytes = 1_000_000) {
  const bytes = new TextEncoder().encode(text)
  const items: unknown[] = []
  const scanner = createListScanner({ maxBytes, onItem: (json) => items.push(JSON.parse(json)) })
  let start = 0
  for (const end of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    scanner.feed(bytes.slice(start, end))
    start = Math.max(start, end)
  }
  return { items, around: JSON.parse(scanner.end()) as unknown }
}

const everyByte = (text: string) =>
  Array.from({ length: new TextEncoder().encode(text).length }, (_, index) => index)

// prettier-ignore
const lists: readonly [string, string, unknown[], unknown][] = [
  ['no items',              '{"metadata":{},"items":[]}',                           [], { metadata: {}, items: [] }],
  ['items that are null',   '{"items":null,"metadata":{}}',                         [], { items: null, metadata: {} }],
  ['items first',           '{"items":[{"a":1}],"metadata":{"x":[1]}}',             [{ a: 1 }], { items: [], metadata: { x: [1] } }],
  ['spaces and lines',      '{ "items" : [ {"a":1} ,\n {"b":2}\t] }',              [{ a: 1 }, { b: 2 }], { items: [] }],
  ['braces in strings',     '{"items":[{"a":"}]{[\\"}"},{"b":"\\\\"}]}',            [{ a: '}]{["}' }, { b: '\\' }], { items: [] }],
  ['items within items',    '{"items":[{"items":[{"a":1}]}]}',                      [{ items: [{ a: 1 }] }], { items: [] }],
  ['items further in',      '{"metadata":{"items":[{"a":1}]},"items":[{"b":2}]}',   [{ b: 2 }], { metadata: { items: [{ a: 1 }] }, items: [] }],
  ['another list',          '{"other":[{"a":1}],"items":[]}',                       [], { other: [{ a: 1 }], items: [] }],
  ['a key that looks like', '{"x\\"items":[{"a":1}],"items":[{"b":2}]}',            [{ b: 2 }], { 'x"items': [{ a: 1 }], items: [] }],
  ['items twice',           '{"items":[{"a":1}],"items":[{"b":2}]}',                [{ a: 1 }], { items: [{ b: 2 }] }],
  ['other signs',           '{"items":[{"ä€😀":"é"}]}',                            [{ 'ä€😀': 'é' }], { items: [] }],
  ['no list',               '{"kind":"Status"}',                                    [], { kind: 'Status' }],
]

describe('a list', () => {
  test.each(lists)('with %s', (_, text, items, around) => {
    expect(scan(text)).toStrictEqual({ items, around })
    expect(scan(text, everyByte(text))).toStrictEqual({ items, around })
  })

  test('of anything, cut anywhere, has the items that JSON.parse has', () => {
    const item = fc.dictionary(fc.string(), fc.jsonValue())
    const list = fc.record({ kind: fc.string(), metadata: fc.jsonValue(), items: fc.array(item) })
    fc.assert(
      fc.property(list, fc.array(fc.nat(200)), fc.constantFrom(0, 2), (value, cuts, indent) => {
        const text = JSON.stringify(value, null, indent)
        const parsed = JSON.parse(text) as typeof value
        expect(scan(text, cuts)).toStrictEqual({
          items: parsed.items,
          around: { ...parsed, items: [] },
        })
      }),
      { numRuns: 300 },
    )
  })
})

describe('what is no list', () => {
  test.each([
    ['an item that is a number', '{"items":[1]}'],
    ['an item that is a list', '{"items":[[]]}'],
    ['an item that is a string', '{"items":["a"]}'],
    ['the end in an item', '{"items":[{"a":1'],
    ['the end after an item', '{"items":[{"a":1}'],
    ['the end between items', '{"items":[{"a":1},'],
  ])('%s', (_, text) => {
    expect(() => scan(text)).toThrow('not_json')
  })

  test.each([
    ['an item', `{"items":[{"a":"${'x'.repeat(200)}"}]}`],
    ['what is around', `{"metadata":"${'x'.repeat(200)}"}`],
    ['what comes after', `{"items":[],"metadata":"${'x'.repeat(200)}"}`],
  ])('%s that is too long', (_, text) => {
    expect(() => scan(text, [], 100)).toThrow('too_long')
    expect(() => scan(text, everyByte(text), 100)).toThrow('too_long')
  })

  test('many items that are not', () => {
    const text = `{"items":[${Array(100).fill('{"a":1}').join()}]}`
    expect(scan(text, [], 100).items).toHaveLength(100)
  })
})

test('many lists around the items cost no more than their length', () => {
  const ofLists = (count: number) => {
    const lists = Array.from({ length: count }, (_, index) => `"a${index}":[]`)
    const text = `{${lists.join()},"items":[{"b":2}]}`
    return () => expect(scan(text, [], 10_000_000).items).toStrictEqual([{ b: 2 }])
  }
  expect(growth(100_000, ofLists)).toBeLessThan(LINEAR_GROWTH_MAX)
})
