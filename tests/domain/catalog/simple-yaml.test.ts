import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { constructFromEvents, parseEvents, YAMLException } from 'js-yaml'
import { type DocumentValue, readSimpleYaml } from '#src/lib/domain/catalog/simple-yaml.ts'
import { MAX_DEPTH } from '#src/lib/domain/catalog/read-yaml.ts'
import { documentStarts, startOf } from '#src/lib/domain/catalog/yaml-events.ts'

const A_MISTAKE: readonly DocumentValue[] = [{ value: 'a mistake', start: -1 }]

/** What js-yaml says, in the same shape. */
function readByJsYaml(source: string): readonly DocumentValue[] {
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH })
    const starts = documentStarts(events)
    return constructFromEvents(events, { source }).map((value, index) => ({
      value,
      start: startOf(events[(starts[index] ?? 0) + 1]),
    }))
  } catch (error) {
    if (error instanceof YAMLException) return A_MISTAKE
    throw error
  }
}

/** Expects it to be read as js-yaml reads it, with the keys in the same order, or not at all. Says which. */
function expectAlike(source: string): boolean {
  const documents = readSimpleYaml(source)
  if (documents === undefined) return false
  const expected = readByJsYaml(source)
  expect(documents, JSON.stringify(source)).toStrictEqual(expected)
  expect(JSON.stringify(documents)).toBe(JSON.stringify(expected))
  return true
}

describe('is read as js-yaml reads it', () => {
  test.each<[string, string]>([
    ['a mapping', 'a: b\nc: d\n'],
    ['a list', '- a\n- b\n'],
    ['mappings in mappings', 'a:\n  b:\n    c: d\n  e: f\ng: h\n'],
    ['a list in the column of its key', 'a:\n- b\n- c\nd: e\n'],
    ['a list further in', 'a:\n    - b\n    - c\nd: e\n'],
    ['mappings in a list', '- a: b\n  c: d\n-   e: f\n    g: h\n'],
    ['lists in mappings in a list', '- a:\n  - b\n  c:\n    - d\n- e:\n    f: g\n'],
    ['lists in a list', '- - a\n  -   - b\n      - c\n- d\n'],
    ['a list of words on a line', 'a: [b, c-d, 1, true]\n'],
    ['keys without a value', 'a:\nb:\n  c:\nd:\n'],
    ['a key without a value in a list', '- a:\n  b:\n- c:\n'],
    ['text in quotes', `a: "b: c"\nd: 'e # f'\ng: "null"\nh: ''\ni: "1"\n`],
    [
      'text with signs in it',
      'a: b:c d#e f\nh: https://i.example/j?k=l&m=n#o\np: (q) / [r], {s}\n',
    ],
    ['spaces behind the colon', 'a:    b\nc:   "d"\n'],
    [
      'literal text',
      'a: |\n  b\n    c\n\n   d # no comment\n  # neither\ne: |-\n    f\n\n\ng: h\n',
    ],
    ['folded text', 'a: >\n  b\n  c\nd: >-\n    # e\n    f: g\n\nh: i\n'],
    ['text in a list', '- |\n  a\n- >-\n  b\n  c\n- d: |\n    e\n'],
    ['text at the end, with empty lines behind it', 'a: |\n  b\n\n\n'],
    ['text with spaces at the end of its lines', 'a: |\n  b  \n  c\nd: >-\n  e  \n  f \n'],
    ['comments and empty lines', '# a\n\nb: c\n  # d\n   \n\n# e\nf:\n# g\n  h: i\n#\n'],
    ['several documents', '---\na: b\n---\n- c\n---\n\n# d\ne: f\n'],
    [
      'numbers',
      'a: 1\nb: -1\nc: +1.5e3\nd: 0x1F\ne: 0o17\nf: .inf\ng: 012\nh: 1_000\ni: 1:30\nj: 9007199254740993\n',
    ],
    [
      'what looks like a number',
      'a: 1.2.3\nb: 10.0.0.1\nc: 2026-11-20\nd: 1e\ne: +\nf: .\ng: 0x\n',
    ],
    [
      'nulls and booleans',
      'a: null\nb: ~\nc: Null\nd: TRUE\ne: false\nf: yes\ng: tRUE\nh: nullx\n',
    ],
    ['names of an object', 'constructor: a\ntoString: b\nhasOwnProperty: c\nvalueOf:\n'],
    ['keys with signs and digits in them', 'a.b/c-d: e\n_f: g\nA1: h\n2fa: i\n'],
    ['letters of every alphabet', 'a: größe\nb: 名前\nc: "🚀"\nd: |\n  ß\ne: 👨‍👩‍👧\n'],
    [
      'the deepest document',
      `${Array.from({ length: 41 }, (__, depth) => `${' '.repeat(depth)}a:\n`).join('')}${' '.repeat(40)}- [b]\n`,
    ],
  ])('%s', (_, source) => {
    expect(expectAlike(source)).toBe(true)
  })
})

describe('is left to js-yaml', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['only a comment', '# a\n'],
    ['an empty document', '---\n'],
    ['a last empty document', 'a: b\n---\n'],
    ['an empty document between others', 'a: b\n---\n---\nc: d\n'],
    ['a file without a last line end', 'a: b'],
    ['text alone', 'a\n'],
    ['a document further in', ' a: b\n'],
    ['the end of a document', 'a: b\n...\n'],
    ['a directive', '%YAML 1.2\n---\na: b\n'],
    ['something behind a marker', '--- # a\nb: c\n'],
    ['a comment before the first marker', '# a\n---\nb: c\n'],
    ['CRLF', 'a: b\r\n'],
    ['a tab', 'a:\tb\n'],
    ['a byte order mark', '\ufeffa: b\n'],
    ['a line separator', 'a: b\u2028c\n'],
    ['a control character', 'a: \u0007\n'],
    ['half a character', 'a: \ud800\n'],
    ['a tag', 'a: !!str 1\n'],
    ['an anchor', 'a: &b 1\n'],
    ['an alias', 'a: *b\n'],
    ['a mapping on a line', 'a: {b: c}\n'],
    ['an empty list', 'a: []\n'],
    ['a list in a list on a line', 'a: [[b]]\n'],
    ['a list without spaces', 'a: [b,c]\n'],
    ['a list with text in quotes', 'a: ["b"]\n'],
    ['a list over lines', 'a: [b,\n  c]\n'],
    ['a dash alone', '-\n  a: b\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a doubled quote', "a: 'b''c'\n"],
    ['text in quotes over lines', 'a: "b\n  c"\n'],
    ['text behind quotes', 'a: "b" c\n'],
    ['text over lines', 'a: b\n  c\n'],
    ['a comment behind a value', 'a: b # c\n'],
    ['a comment behind a key', 'a: # b\n  c: d\n'],
    ['spaces behind a value', 'a: b \n'],
    ['spaces behind a key', 'a: \n  b: c\n'],
    ['a value that is a mapping', 'a: b: c\n'],
    ['a value that ends as a key', 'a: b:\n'],
    ['a key in quotes', '"a": b\n'],
    ['a key with spaces', 'a b: c\n'],
    ['a key that is a number', '1: a\n'],
    ['a key that is null', 'null: a\n'],
    ['a key that is a boolean', 'True: a\n'],
    ['a list with a mapping in it', 'a: [b:, c]\n'],
    ['a list that ends with a mapping', 'a: [b, c:]\n'],
    ['text that begins with a comma', 'a: ,b\n'],
    ['text that begins with a colon', 'a: :b\n'],
    ['a key before a space', 'a : b\n'],
    ['a key that was asked for', '? a\n: b\n'],
    ['__proto__', '__proto__:\n  polluted: a\n'],
    ['the same key twice', 'a: b\nc: d\na: e\n'],
    ['the same key twice in a list', '- a: b\n  a: c\n'],
    ['a key below a value', 'a: b\n  c: d\n'],
    ['a key between two columns', 'a:\n    b: c\n  d: e\n'],
    ['a key between a dash and its first key', '-   a: b\n  c: d\n'],
    ['a list that is not closed', 'a: [b, c\n'],
    ['an item between two columns', 'a:\n    - b\n  - c\n'],
    ['an item in a mapping', 'a: b\n- c\n'],
    ['a key in a list', '- a\nb: c\n'],
    ['text with a margin of its own', 'a: |2\n   b\n'],
    ['text that keeps what is behind it', 'a: |+\n  b\n'],
    ['text with a comment at its header', 'a: | # b\n  c\n'],
    ['text without a line', 'a: |\nb: c\n'],
    ['text that begins with an empty line', 'a: |\n\n  b\n'],
    ['text with a line of spaces', 'a: |\n  b\n   \n  c\n'],
    ['text with a line of fewer spaces', 'a:\n  b: |\n    c\n \n    d\n'],
    ['text that goes on behind a line of fewer spaces', 'a:\n  b: |\n    c\n \n    # d\n'],
    ['text with a line that is not far enough in', 'a: |\n    b\n  c\n'],
    ['folded paragraphs', 'a: >\n  b\n\n  c\n'],
    ['folded text with a line further in', 'a: >\n  b\n    c\n'],
    ['text that goes on behind a comment', 'a: |\n  b\n# c\n  d\n'],
    ['a document beside a plain one', 'a: b\n---\nc: &d e\n'],
    ['a list in a value', 'a: - b\n'],
    [
      'a mapping beyond column 40',
      Array.from({ length: 42 }, (__, depth) => `${' '.repeat(depth)}a:\n`).join(''),
    ],
  ])('%s', (_, source) => {
    expect(readSimpleYaml(source)).toBeUndefined()
  })
})

interface Written {
  readonly kind: 'text' | 'mapping' | 'list'
  readonly lines: readonly string[]
}

const further = (lines: readonly string[], by: number): readonly string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line))

const column = fc.integer({ min: 1, max: 4 })
const word = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9._/-]{0,5}$/)
// prettier-ignore
const text = fc.oneof(
  word,
  fc.constantFrom(
    'a b', 'a:b', 'a#b', 'https://a.example/b?c', '"a: b"', "'c # d'", '[a, b]', '1', '-1.5', '.5', 'true', '~', '-a', '10.0.0.1', '(ß) 🚀',
  ),
)
const scalar = text.map((line): Written => ({ kind: 'text', lines: [line] }))
const block = fc
  .tuple(fc.constantFrom('|', '|-', '>', '>-'), fc.array(text, { minLength: 1 }), column)
  .map(([header, lines, by]): Written => ({ kind: 'text', lines: [header, ...further(lines, by)] }))

/** Documents of the kinds that are read. */
const { mapping, list } = fc.letrec<Record<'node' | 'mapping' | 'list', Written>>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    block,
    tie('mapping'),
    tie('list'),
  ),
  mapping: fc
    .uniqueArray(fc.tuple(word, tie('node'), column), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map((members) => ({
      kind: 'mapping',
      lines: members.flatMap(([key, { kind, lines }, by]) =>
        kind === 'text'
          ? [`${key}: ${lines[0]}`, ...lines.slice(1)]
          : [`${key}:`, ...further(lines, kind === 'list' ? by - 1 : by)],
      ),
    })),
  list: fc.array(fc.tuple(tie('node'), column), { minLength: 1, maxLength: 4 }).map((items) => ({
    kind: 'list',
    lines: items.flatMap(([{ kind, lines }, by]) => {
      const spaces = kind === 'text' ? 1 : by
      return [
        `-${' '.repeat(spaces)}${lines[0]}`,
        ...further(lines.slice(1), kind === 'text' ? 0 : spaces + 1),
      ]
    }),
  })),
}))
const documents = fc
  .array(fc.oneof(mapping, list), { minLength: 1, maxLength: 2 })
  .map((written) => written.map(({ lines }) => `${lines.join('\n')}\n`).join('---\n'))

test('documents of the kinds that are read are read, and as js-yaml reads them', () => {
  const sources = fc.sample(documents, { numRuns: 2_000, seed: 1 })
  expect(sources.filter((source) => !expectAlike(source))).toStrictEqual([])
})

// prettier-ignore
const PIECES = [
  'a', 'b', '1', 'null', '~', '"', "'", '"a"', '|\n', '>-\n', ':', ': ', ':\n', '- ', '-', '?', ',', '[', ']', '{', '}', '&a ', '*a', '!a ',
  '\n', '\n ', '\n  ', '\n    ', ' ', '  ', '---\n', '...\n', '#', ' #', '\\', '%', '@', '`', '__proto__', '\t', '\r', '\u0085', '\u00a0', '\u2028', '\ufeff', '🚀',
] as const

/** Of any source it says what js-yaml says, or nothing. */
describe('is never read otherwise', () => {
  test('whatever is put in or taken out of documents', () => {
    const piece = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 3 }),
      piece: fc.constantFrom('', ...PIECES),
    })
    const changed = fc
      .tuple(documents, fc.array(piece, { minLength: 1, maxLength: 3 }))
      .map(([document, pieces]) =>
        pieces.reduce((source, { at, length, piece }) => {
          const start = at % source.length
          return source.slice(0, start) + piece + source.slice(start + length)
        }, document),
      )
    expect(countRead(changed)).toBeGreaterThan(500)
  })

  test('whatever three lines follow one', () => {
    const contents = ['', '# a', 'a', 'a:', 'a: b', '- a']
    const lines = [0, 1, 2, 3].flatMap((by) => contents.map((content) => ' '.repeat(by) + content))
    const first = ['a: |', 'a: >-', ' b: |', '- |', '- a: >', '- a:', 'a:', '-  - a: b']
    let read = 0
    for (const head of first) {
      for (const second of lines) {
        for (const third of lines) {
          for (const fourth of lines) {
            if (expectAlike(`c:\n${head}\n${second}\n${third}\n${fourth}\n`)) read++
          }
        }
      }
    }
    expect(read).toBeGreaterThan(5_000)
  })

  test('whatever five characters follow something', () => {
    const characters = ['a', '1', ' ', '\n', '-', ':', '#', '"', '[', '|']
    const tails = [1, 2, 3, 4, 5].reduce(
      (ends) => ends.flatMap((end) => characters.map((first) => first + end)),
      [''],
    )
    let read = 0
    for (const head of ['', 'a: ', 'a:\n ', '- a: |\n']) {
      for (const tail of tails) if (expectAlike(`${head}${tail}\n`)) read++
    }
    expect(read).toBeGreaterThan(5_000)
  })

  test('whatever pieces it is made of', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom('a:', ' a: b\n', '  ', '\n')),
      { maxLength: 12 },
    )
    const sources = pieces.map((all) => `a${all.join('')}\n`)
    expect(countRead(sources, 20_000)).toBeGreaterThan(300)
  })
})

function countRead(sources: fc.Arbitrary<string>, numRuns = 5_000): number {
  let read = 0
  const property = fc.property(sources, (source) => {
    if (expectAlike(source)) read++
  })
  fc.assert(property, { numRuns })
  return read
}
