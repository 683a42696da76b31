import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  buildSearchIndex,
  eachMatch,
  encodeText,
  type MatchPlace,
  type SearchText,
} from '#src/lib/domain/catalog/search-index.ts'
import { createTimeSlice } from '#src/lib/concurrency/time-slice.ts'

const matchesOf = async (texts: readonly SearchText[], terms: readonly string[]) => {
  const entities = texts.map((each) => ({ text: encodeText(each) }))
  const index = await buildSearchIndex(entities, createTimeSlice())
  const matches: (readonly [number, MatchPlace])[] = []
  eachMatch(index, terms, (entity, place) => matches.push([entity, place]))
  return matches
}

const text = (name: string, title = '', rest = ''): SearchText => ({ name, title, rest })

describe('borders are those of the bytes', () => {
  test.each<[SearchText, string]>([
    [text('shop', 'full ffi\nline', 'rest'), 'shop|full ffi\nline|rest'],
    [text('ü', 'ß', '🦊'), 'ü|ß|🦊'],
    [text('', '', ''), '||'],
  ])('%p', (fields, expected) => {
    const { bytes, nameEnd, titleEnd } = encodeText(fields)
    const decode = (start: number, end: number) =>
      new TextDecoder().decode(bytes.subarray(start, end))
    const parts = [
      decode(0, nameEnd),
      decode(nameEnd + 1, titleEnd),
      decode(titleEnd + 1, bytes.length - 1),
    ]
    expect(parts.join('|')).toBe(expected)
    expect(decode(bytes.length - 1, bytes.length)).toBe('\n')
  })
})

describe('places', () => {
  const texts = [
    text('pay', 'pay', 'pay'),
    text('a', 'pay', 'pay'),
    text('b', '', 'pay'),
    text('c'),
  ]

  test('are where the first occurrence is', async () => {
    expect(await matchesOf(texts, ['pay'])).toStrictEqual([
      [0, 'name'],
      [1, 'title'],
      [2, 'elsewhere'],
    ])
  })

  test('are that of the term that comes last', async () => {
    expect(await matchesOf([text('pay', 'gate', 'way')], ['pay', 'gate'])).toStrictEqual([
      [0, 'title'],
    ])
    expect(await matchesOf([text('pay', 'gate', 'way')], ['way', 'pay'])).toStrictEqual([
      [0, 'elsewhere'],
    ])
  })

  test('no term reaches over a border', async () => {
    expect(await matchesOf([text('pay', 'gate'), text('way')], ['paygate'])).toStrictEqual([])
    expect(await matchesOf([text('pay', '', 'gate'), text('way')], ['gateway'])).toStrictEqual([])
  })

  test('nothing in nothing', async () => {
    expect(await matchesOf([], ['x'])).toStrictEqual([])
    expect(await matchesOf([text('')], ['x'])).toStrictEqual([])
  })
})

test('for any texts and terms: what a naive search finds', async () => {
  const word = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'ü', '🦊', 'x')
  const field = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '))
  const fields = fc.record({ name: field, title: field, rest: field })
  const terms = fc.array(word, { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(fc.array(fields, { maxLength: 20 }), terms, async (texts, wanted) => {
      const expected = texts.flatMap(({ name, title, rest }, index): [number, MatchPlace][] => {
        const all = (...parts: string[]) =>
          wanted.every((term) => parts.some((part) => part.includes(term)))
        if (all(name)) return [[index, 'name']]
        if (all(name, title)) return [[index, 'title']]
        return all(name, title, rest) ? [[index, 'elsewhere']] : []
      })
      expect(await matchesOf(texts, wanted)).toStrictEqual(expected)
    }),
    { numRuns: 5_000 },
  )
})

test('reading ahead changes nothing, also at the end', async () => {
  const texts = Array.from({ length: 2_000 }, (_, index) =>
    text(index % 3 === 0 ? 'shop' : 'pay', '', 'rest '.repeat(index % 200)),
  )
  expect(await matchesOf(texts, ['pay'])).toStrictEqual(
    texts.flatMap(({ name }, index): [number, MatchPlace][] =>
      name === 'pay' ? [[index, 'name']] : [],
    ),
  )
})

interface Named {
  readonly name: string
  readonly text: ReturnType<typeof encodeText>
}

const named = (name: string, rest = ''): Named => ({ name, text: encodeText(text(name, '', rest)) })
const byName = (a: Named, b: Named): number => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1)

describe('an index built on the previous one', () => {
  const word = fc.constantFrom('a', 'bb', 'ccc', 'ü')
  const entity = fc.tuple(word, word).map(([name, rest]) => named(name, rest))
  const list = fc.array(entity, { maxLength: 12 })
  const lists = list.chain((before) =>
    fc.tuple(fc.constant(before), fc.shuffledSubarray([...before]), list),
  )

  test.each([
    ['in their order', (entities: readonly Named[]) => entities.toSorted(byName)],
    ['in no order', (entities: readonly Named[]) => entities],
  ])('is the one built from nothing: %s', async (_, inOrder) => {
    await fc.assert(
      fc.asyncProperty(lists, async ([before, kept, added]) => {
        const entities = inOrder(before)
        const search = await buildSearchIndex(entities, createTimeSlice())
        const previous = { entities, search, compare: byName }
        const next = inOrder([...added.slice(0, 3), ...kept, ...added.slice(3)])
        const built = await buildSearchIndex(next, createTimeSlice(), previous)
        expect(built).toStrictEqual(await buildSearchIndex(next, createTimeSlice()))
      }),
      { numRuns: 3_000 },
    )
  })

  test('takes over what both have', async () => {
    const [a, b, c, d, e, f, g] = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => named(name))
    if (!a || !b || !c || !d || !e || !f || !g) throw new Error('one is missing')
    const entities = [a, b, c, e, f, g]
    const search = await buildSearchIndex(entities, createTimeSlice())
    search.bytes.fill('-')
    const previous = { entities, search, compare: byName }
    const next = [a, named('b', 'new'), d, e, g]
    const { bytes } = await buildSearchIndex(next, createTimeSlice(), previous)
    expect(bytes.toString()).toBe('----b\n\nnew\nd\n\n\n--------')
  })
})
