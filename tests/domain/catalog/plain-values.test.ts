import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { constructFromEvents, dump, parseEvents, YAMLException } from 'js-yaml'
import { plainValues } from '#src/lib/domain/catalog/plain-values.ts'

const plain = (source: string) => plainValues(parseEvents(source, {}), source)
const constructed = (source: string) => constructFromEvents(parseEvents(source, {}), { source })

/** `undefined`: there are none, because of a mistake. */
function valuesOf(read: (source: string) => unknown[] | undefined, source: string) {
  try {
    return read(source)
  } catch (error) {
    if (error instanceof YAMLException) return undefined
    throw error
  }
}

describe('is built as js-yaml builds it', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['an empty document', '---\n'],
    ['several documents', 'a: 1\n---\n- b\n---\nc\n...\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['collections in collections', 'a:\n- b: [c, {d: e}]\n  f: {}\n- []\ng:\n'],
    [
      'every style of text',
      `a: b c\nd: 'e''f'\ng: "h\\n"\ni: |\n  j\n  k\nl: >-\n  m\n  n\no: p\n  q\n`,
    ],
    ['quoted words of the schema', `{a: 'null', b: "1", c: 'true', d: ''}`],
    ['every null', '[null, Null, NULL, ~, nul, nullx, {a: }]'],
    ['every boolean', '[true, True, TRUE, false, False, FALSE, yes, tRUE]'],
    [
      'every number',
      '[0, -1, +2, 0o17, 0x1F, 1.5, -.5, 1e3, .inf, -.Inf, .nan, 012, 1_000, 0b1, 1:30]',
    ],
    ['numbers beyond what is exact', '[9007199254740993, 1e400, -0]'],
    ['keys that are numbers, among others', '{z: 1, a: 2, "10": 3, "9": 4}'],
    ['names of an object', '{constructor: 1, toString: 2, hasOwnProperty: 3}'],
    ['letters of every alphabet', '{größe: ß, 名: 前, "🚀": 🚀}'],
  ])('%s', (_, source) => {
    const values = plain(source)
    expect(values).toStrictEqual(constructed(source))
    expect(JSON.stringify(values)).toBe(JSON.stringify(constructed(source)))
  })

  test('whatever can be written down', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.integer(),
          fc.double(),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.array(tie('value')),
        fc.dictionary(fc.stringMatching(/^k[a-z0-9: ]{0,5}$/), tie('value')),
      ),
    }))
    fc.assert(
      fc.property(value, fc.constantFrom(-1, 0, 2), (written, flowLevel) => {
        const source = dump(written, { flowLevel, noRefs: true })
        const values = plain(source)
        expect(values).toStrictEqual(constructed(source))
      }),
    )
  })
})

describe('is left to js-yaml', () => {
  test.each<[string, string]>([
    ['a tag', 'a: !!str 1\n'],
    ['a tag of a collection', '!!map {a: 1}\n'],
    ['a tag of nothing', 'a: !!null\n'],
    ['an anchor', 'a: &b 1\n'],
    ['an anchor of a collection', '&a [1]\n'],
    ['an alias', '- &a 1\n- *a\n'],
    ['an alias to nothing', '- *a\n'],
    ['the same key twice', '{a: 1, "a": 2}'],
    ['a key of another type', '{1: a}'],
    ['an empty key', '{: a}'],
    ['a collection as a key', '? [a]\n: b\n'],
    ['a mapping as a key', '{{a: 1}: b}'],
    ['__proto__', '{__proto__: {polluted: 1}}'],
    ['a document beside a plain one', 'a: 1\n---\nb: &c 1\n'],
  ])('%s', (_, source) => {
    expect(plain(source)).toBeUndefined()
  })
})

// prettier-ignore
const PIECES = [
  'a', 'b', '1', 'null', '~', '"a"', "'b'", '|\n', '>-\n', ': ', ':\n', '- ', '? ', ', ', '[', ']', '{', '}', '&a ', '*a',
  '!!str ', '!!map ', '\n', '\n  ', '\n    ', ' ', '---\n', '...\n', '#', '<<', '__proto__', '%TAG ! !x!\n',
] as const

test('of any source it says what js-yaml says, or nothing', () => {
  const piece = fc.constantFrom(...PIECES)
  let built = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const source = pieces.join('')
      const values = valuesOf(plain, source)
      if (values === undefined) return
      built++
      const expected = valuesOf(constructed, source) ?? ['js-yaml finds a mistake']
      expect(values).toStrictEqual(expected)
      // With their keys in the same order, too.
      expect(JSON.stringify(values)).toBe(JSON.stringify(expected))
    }),
    { numRuns: 20_000 },
  )
  expect(built).toBeGreaterThan(4_000)
})
