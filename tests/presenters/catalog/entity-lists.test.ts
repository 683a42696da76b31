import { expect, test } from 'bun:test'
import { createEntityLists, type EntityPage } from '#src/lib/presenters/catalog/entity-lists.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { shop } from '#tests/domain/catalog/draft.ts'

const snapshot = { tree: null, entities: shop } as unknown as Snapshot
const page: EntityPage = { query: '{}', entities: shop, total: shop.length, link: null }
const pageOf = (...jsons: string[]): EntityPage => ({
  ...page,
  entities: jsons.map((json) => ({ ...(shop[0] as (typeof shop)[0]), json })),
})

test('a list is kept by its query string, until there is another snapshot', () => {
  const lists = createEntityLists()
  expect(lists.find(snapshot, 'a')).toBeUndefined()
  const list = lists.add(snapshot, 'a', page)
  expect(lists.find(snapshot, 'a')).toBe(list)
  expect(lists.find(snapshot, 'b')).toBeUndefined()
  expect(lists.find({ ...snapshot, entities: [...shop] }, 'a')).toBeUndefined()
  expect(lists.find(snapshot, 'a')).toBeUndefined()
})

test('the tag is that of the tree and of the query, however the query is spelled', () => {
  const lists = createEntityLists()
  const etag = (tree: string | null, search: string, query: string) =>
    lists.add({ ...snapshot, tree } as Snapshot, search, { ...page, query }).etag
  expect(etag('1'.repeat(40), 'q=a', 'a')).toBe(etag('1'.repeat(40), 'q=a&x=y', 'a'))
  expect(etag('1'.repeat(40), 'q=a', 'a')).not.toBe(etag('2'.repeat(40), 'q=a', 'a'))
  expect(etag('1'.repeat(40), 'q=a', 'a')).not.toBe(etag('1'.repeat(40), 'q=a', 'b'))
})

/** How many of a hundred lists stay. */
function keptOf(
  listOf: (index: number) => EntityPage,
  searchOf: (index: number) => string = String,
): number {
  const lists = createEntityLists()
  const indexes = Array.from({ length: 100 }, (_, index) => index)
  for (const index of indexes) {
    lists.find(snapshot, searchOf(index))
    lists.add(snapshot, searchOf(index), listOf(index))
  }
  return indexes.filter((index) => lists.find(snapshot, searchOf(index)) !== undefined).length
}

test('only so many lists are kept as there is room for', () => {
  expect(keptOf(() => page)).toBe(100)
  expect(keptOf(() => pageOf('x'.repeat(900_000)))).toBeWithin(1, 25)
  expect(keptOf(() => pageOf('x'.repeat(3_000_000)))).toBeWithin(1, 15)
  expect(keptOf(() => pageOf('x'.repeat(40_000_000)))).toBe(100)
})

test('many entities, long query strings and long links take room, too', () => {
  const many = Array.from({ length: 200_000 }, () => shop[0] as (typeof shop)[0])
  expect(keptOf(() => ({ ...page, entities: many }))).toBeWithin(1, 25)
  expect(
    keptOf(
      () => page,
      (index) => `${index}`.padEnd(500_000, 'x'),
    ),
  ).toBeWithin(1, 35)
  expect(keptOf(() => ({ ...page, link: 'x'.repeat(500_000) }))).toBeWithin(1, 35)
})

test.each([
  ['none', []],
  ['one', ['{"a":"é"}']],
  ['as many as fit into a chunk', Array<string>(64).fill('{}')],
  ['one more', Array<string>(65).fill('{}')],
  ['more than a megabyte', Array<string>(300).fill(JSON.stringify('ü'.repeat(10_000)))],
])('the list of %s is the same whole, in chunks and compressed', async (_, jsons) => {
  const list = createEntityLists().add(snapshot, '', pageOf(...jsons))
  const text = await new Response(list.body()).text()
  expect(text).toBe(`[${jsons.join(',')}]`)
  const gzipped = await list.gzipped()
  if (gzipped === undefined) expect(text.length).toBeLessThan(1024)
  else expect(Buffer.from(Bun.gunzipSync(await gzipped.bytes())).toString()).toBe(text)
  expect(await list.gzipped()).toBe(gzipped)
})
