import { expect, test } from 'bun:test'
import { createEntityLists, type EntityPage } from '#src/lib/presenters/catalog/entity-lists.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { shop } from '#tests/domain/catalog/draft.ts'

const snapshot = { listing: { tree: null }, entities: shop } as unknown as Snapshot
const page = () => ({ entities: shop, total: shop.length, link: null })

/** So that it is kept. Answers with the list of the second time. */
function askTwice(
  lists: ReturnType<typeof createEntityLists>,
  of: Snapshot,
  { query, meaning, list = page() }: { query: string; meaning: string; list?: EntityPage },
) {
  lists.make(of, query, meaning, () => list)
  return lists.make(of, query, meaning, () => list)
}

test('queries that mean the same share one list, however they are spelled', () => {
  const lists = createEntityLists()
  let made = 0
  const count = () => {
    made++
    return page()
  }
  lists.find(snapshot, '')
  const first = lists.make(snapshot, 'kind=api', 'meaning', count)
  const SPELLINGS = 50_000
  for (let junk = 0; junk < SPELLINGS; junk++) {
    const query = `kind=api&junk=${junk}`.padEnd(1_000, '&')
    expect(lists.make(snapshot, query, 'meaning', count).etag).toBe(first.etag)
  }
  // Very many make it start again now and then, never for each.
  expect(made).toBeWithin(3, 10)
})

test('a kept list is found by its query string, and no more once the snapshot is another one', () => {
  const lists = createEntityLists()
  lists.find(snapshot, 'a')
  const list = askTwice(lists, snapshot, { query: 'a', meaning: 'meaning' })
  expect(lists.find(snapshot, 'a')).toBe(list)
  expect(lists.find({ ...snapshot, entities: [...shop] }, 'a')).toBeUndefined()
})

test('what is asked for once is not kept, and takes no room from what is', () => {
  const lists = createEntityLists()
  lists.find(snapshot, '')
  askTwice(lists, snapshot, { query: 'kept', meaning: 'kept' })
  const long = { ...page(), entities: shop.map((one) => ({ ...one, json: new Uint8Array(4_000) })) }
  for (let typed = 0; typed < 5_000; typed++) {
    lists.make(snapshot, `q=${typed}`, `${typed}`, () => long).body()
  }
  expect(lists.find(snapshot, 'q=4999')).toBeUndefined()
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
  askTwice(lists, snapshot, { query: 'a', meaning: 'meaning' })
  const next = { ...snapshot, entities: [...shop] }
  expect(lists.find(next, 'a')).toBeUndefined()
  const list = lists.make(next, 'a', 'meaning', page)
  expect(lists.find(next, 'a')).toBe(list)
})

test('an older snapshot leaves nothing with a newer one', () => {
  const lists = createEntityLists()
  const newer = { ...snapshot, entities: [...shop] }
  lists.find(newer, 'a')
  askTwice(lists, snapshot, { query: 'a', meaning: 'meaning' })
  expect(lists.find(newer, 'a')).toBeUndefined()
})

/** How many of a hundred are kept after each was asked for twice. */
function keptOf(meaningOf: (query: number) => string, list: EntityPage): number {
  const lists = createEntityLists()
  const big = { ...snapshot, entities: list.entities }
  lists.find(big, '')
  const queries = Array.from({ length: 100 }, (_, query) => query)
  for (const query of queries) {
    askTwice(lists, big, { query: `q=${query}`, meaning: meaningOf(query), list })
  }
  return queries.filter((query) => lists.find(big, `q=${query}`) !== undefined).length
}

test('what a list holds counts: many large selections do not stay', () => {
  const large = Array.from({ length: 200_000 }, () => shop[0] as (typeof shop)[0])
  const list = { entities: large, total: 1, link: null }
  expect(keptOf(String, list)).toBeWithin(1, 25)
})

test('what has no room at all is not kept', () => {
  const lists = createEntityLists()
  lists.find(snapshot, 'a')
  const large = {
    ...page(),
    entities: Array.from({ length: 5_000_000 }, () => shop[0] as (typeof shop)[0]),
  }
  askTwice(lists, snapshot, { query: 'a', meaning: 'meaning', list: large })
  expect(lists.find(snapshot, 'a')).toBeUndefined()
})

test('what was asked for counts: many long queries that find nothing do not stay', () => {
  const list = { entities: [], total: 0, link: null }
  expect(keptOf(String, list)).toBe(100)
  expect(keptOf((query) => `${query}`.padEnd(500_000, 'x'), list)).toBeWithin(1, 35)
  expect(keptOf(String, { ...list, link: 'x'.repeat(500_000) })).toBeWithin(1, 35)
})

test('what is being compressed of an older snapshot takes no room from a newer one', async () => {
  const lists = createEntityLists()
  const random = crypto.getRandomValues(Buffer.alloc(64 * 1024))
  const json = new Uint8Array(Buffer.concat(Array.from({ length: 32 }, () => random)))
  const large = { ...page(), entities: shop.slice(0, 1).map((one) => ({ ...one, json })) }
  lists.find(snapshot, '')
  const compressed = Array.from({ length: 20 }, (_, query) =>
    askTwice(lists, snapshot, { query: `q=${query}`, meaning: `${query}`, list: large }).gzipped(),
  )
  const newer = { ...snapshot, entities: [...shop] }
  lists.find(newer, '')
  askTwice(lists, newer, { query: 'kept', meaning: 'kept' })
  for (const one of compressed) await one
  expect(lists.find(newer, 'kept')).toBeDefined()
})
