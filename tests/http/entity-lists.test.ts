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
  const list = lists.make(snapshot, 'a', 'meaning', page)
  expect(lists.find(snapshot, 'a')).toBe(list)
  expect(lists.find({ ...snapshot, entities: [...shop] }, 'a')).toBeUndefined()
})

test('what a list holds counts: many large selections do not stay', () => {
  const lists = createEntityLists()
  const large = Array.from({ length: 200_000 }, () => shop[0] as (typeof shop)[0])
  const big = { ...snapshot, entities: large }
  lists.find(big, '')
  for (let query = 0; query < 100; query++) {
    lists.make(big, `q=${query}`, `meaning ${query}`, () => ({
      entities: large,
      total: 1,
      link: null,
    }))
  }
  const kept = Array.from({ length: 100 }, (_, query) => lists.find(big, `q=${query}`))
  expect(kept.filter((list) => list !== undefined).length).toBeLessThan(25)
})
