import { expect, test } from 'bun:test'
import { createEntityLists } from '#src/lib/http/entity-lists.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { shop } from '#tests/domain/catalog/draft.ts'

const snapshot = { tree: null, entities: shop } as unknown as Snapshot
const page = () => ({ entities: shop, total: shop.length, link: null })

test('queries that mean the same share one list, however they are spelled', () => {
  const lists = createEntityLists()
  let made = 0
  const count = () => {
    made++
    return page()
  }
  lists.find(snapshot, '')
  const first = lists.make(snapshot, 'kind=api', 'meaning', count)
  for (let junk = 0; junk < 10_000; junk++) {
    expect(lists.make(snapshot, `kind=api&junk=${junk}`, 'meaning', count).etag).toBe(first.etag)
  }
  // Thousands of spellings make it start again now and then, never for each.
  expect(made).toBeLessThan(10)
})

test('a kept list is found by its query string, and no more once the snapshot is another one', () => {
  const lists = createEntityLists()
  lists.find(snapshot, 'a')
  lists.make(snapshot, 'a', 'meaning', page)
  const list = lists.make(snapshot, 'a', 'meaning', page)
  expect(lists.find(snapshot, 'a')).toBe(list)
  expect(lists.find({ ...snapshot, entities: [...shop] }, 'a')).toBeUndefined()
})

test('what is asked for once is not kept, and takes no room from what is', () => {
  const lists = createEntityLists()
  lists.find(snapshot, '')
  for (const _ of ['first', 'again']) lists.make(snapshot, 'kept', 'kept', page)
  const long = { ...page(), entities: shop.map((one) => ({ ...one, json: new Uint8Array(4_000) })) }
  for (let typed = 0; typed < 5_000; typed++) {
    lists.make(snapshot, `q=${typed}`, `${typed}`, () => long).body()
  }
  expect(lists.find(snapshot, 'q=0')).toBeUndefined()
  expect(lists.find(snapshot, 'kept')).toBeDefined()
})

test('what was asked for long ago is asked for once', () => {
  const lists = createEntityLists()
  lists.find(snapshot, '')
  lists.make(snapshot, 'a', 'a', page)
  for (let other = 0; other < 10_000; other++) lists.make(snapshot, '', `${other}`, page)
  lists.make(snapshot, 'a', 'a', page)
  expect(lists.find(snapshot, 'a')).toBeUndefined()
})

test('what is asked for again and again is kept at once of the next snapshot', () => {
  const lists = createEntityLists()
  lists.find(snapshot, 'a')
  for (const _ of ['first', 'again']) lists.make(snapshot, 'a', 'meaning', page)
  const next = { ...snapshot, entities: [...shop] }
  expect(lists.find(next, 'a')).toBeUndefined()
  const list = lists.make(next, 'a', 'meaning', page)
  expect(lists.find(next, 'a')).toBe(list)
})

test('an older snapshot leaves nothing with a newer one', () => {
  const lists = createEntityLists()
  const newer = { ...snapshot, entities: [...shop] }
  lists.find(newer, 'a')
  for (const _ of ['first', 'again']) lists.make(snapshot, 'a', 'meaning', page)
  expect(lists.find(newer, 'a')).toBeUndefined()
})

/** How many of a hundred are kept after each was asked for twice. */
function keptOf(meaningOf: (query: number) => string, list: ReturnType<typeof page>): number {
  const lists = createEntityLists()
  const big = { ...snapshot, entities: list.entities }
  lists.find(big, '')
  const ask = (query: number, made = () => list) =>
    lists.make(big, `q=${query}`, meaningOf(query), made)
  const queries = Array.from({ length: 100 }, (_, query) => query)
  for (const query of queries) for (const _ of ['first', 'again']) ask(query)
  let kept = queries.length
  const notKept = () => {
    kept--
    return list
  }
  for (const query of queries.toReversed()) ask(query, notKept)
  return kept
}

test('what a list holds counts: many large selections do not stay', () => {
  const large = Array.from({ length: 200_000 }, () => shop[0] as (typeof shop)[0])
  const list = { entities: large, total: 1, link: null }
  expect(keptOf(String, list)).toBeWithin(1, 25)
})

test('what was asked for counts: many long queries that find nothing do not stay', () => {
  const list = { entities: [], total: 0, link: null }
  expect(keptOf(String, list)).toBe(100)
  expect(keptOf((query) => `${query}`.padEnd(500_000, 'x'), list)).toBeWithin(1, 35)
})
