import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createEntityLists } from '#src/lib/presenters/catalog/entity-lists.ts'
import type { JsonPage } from '#src/lib/presenters/json-lists.ts'
import { oid, path } from '#tests/contracts/git-host.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { shop } from '#tests/domain/catalog/draft.ts'

const snapshot = { tree: null, entities: shop, leftOut: new Map() } as unknown as Snapshot
const page: JsonPage = {
  query: '{}',
  items: shop,
  isPart: false,
  total: shop.length,
  link: null,
}
const pageOf = (...jsons: string[]): JsonPage => ({
  ...page,
  items: jsons.map((json) => ({
    ...(shop[0] as (typeof shop)[0]),
    json,
    jsonBytes: Buffer.byteLength(json),
  })),
})

test('a list is kept by its query, until there is another snapshot', () => {
  const lists = createEntityLists()
  expect(lists.find(snapshot, page.query)).toBeUndefined()
  const list = lists.add(snapshot, page)
  expect(lists.find(snapshot, page.query)).toBe(list)
  expect(lists.find(snapshot, 'b')).toBeUndefined()
  expect(lists.find({ ...snapshot, entities: [...shop] }, page.query)).toBeUndefined()
  expect(lists.find(snapshot, page.query)).toBeUndefined()
})

test('the tag changes when a later load of the same tree brings what was left out', () => {
  const parsed = { entities: [], findings: [] }
  const etag = (...paths: string[]) => etagWith('1', ...paths)
  const etagWith = (digit: string, ...paths: string[]) => {
    const blob = oid(digit.repeat(40))
    const files = new Map(paths.map((name) => [path(name), { blob, parsed }]))
    const leftOut = new Map(paths.map((name) => [path(name), 'file_pending'] as const))
    return createEntityLists().add({ ...snapshot, leftOut, files }, page).etag
  }
  expect(new Set([etag(), etag('a'), etag('b'), etag('a', 'b')]).size).toBe(4)
  expect(etag('a')).toBe(etag('a'))
  // Another replica may have another version of the file.
  expect(etag('a')).not.toBe(etagWith('2', 'a'))
})

test('the tag is that of the tree and of the query', () => {
  const etag = (tree: string, query: string) =>
    createEntityLists().add({ ...snapshot, tree } as Snapshot, { ...page, query }).etag
  expect(etag('1'.repeat(40), 'a')).toBe(etag('1'.repeat(40), 'a'))
  expect(etag('1'.repeat(40), 'a')).not.toBe(etag('2'.repeat(40), 'a'))
  expect(etag('1'.repeat(40), 'a')).not.toBe(etag('1'.repeat(40), 'b'))
})

/** How many of a hundred lists stay. */
function keptOf(list: JsonPage): number {
  const lists = createEntityLists()
  const pages = Array.from({ length: 100 }, (_, index) => ({
    ...list,
    query: `${index}${list.query}`,
  }))
  for (const each of pages) {
    lists.find(snapshot, each.query)
    lists.add(snapshot, each)
  }
  return pages.filter(({ query }) => lists.find(snapshot, query) !== undefined).length
}

test('only so many lists are kept as there is room for', () => {
  expect(keptOf(page)).toBe(100)
  expect(keptOf(pageOf('x'.repeat(900_000)))).toBeWithin(1, 38)
  expect(keptOf(pageOf('ü'.repeat(450_000)))).toBeWithin(1, 38)
  expect(keptOf(pageOf('x'.repeat(40_000_000)))).toBe(100)
})

test('many entities, long queries and long links take room, too', () => {
  const many = Array.from({ length: 200_000 }, () => shop[0] as (typeof shop)[0])
  expect(keptOf({ ...page, items: many })).toBeWithin(1, 25)
  expect(keptOf({ ...page, query: 'x'.repeat(500_000) })).toBeWithin(1, 35)
  expect(keptOf({ ...page, link: 'x'.repeat(500_000) })).toBeWithin(1, 35)
})

test('parts of entities take the room of their texts, even when they are sent in chunks', () => {
  const large = { ...pageOf('x'.repeat(3_000_000)), isPart: true }
  expect(keptOf(large)).toBeWithin(1, 12)
  expect(keptOf({ ...large, isPart: false })).toBe(100)
})

test('a list that takes time is made once, and again for another snapshot', async () => {
  const lists = createEntityLists()
  let made = 0
  const gate = Promise.withResolvers<void>()
  const make = async () => {
    made++
    await gate.promise
    return page
  }
  const asked = [1, 2, 3].map(() => lists.addLater(snapshot, page.query, make))
  const next = { ...snapshot, entities: [...shop] }
  const other = lists.addLater(next, page.query, make)
  gate.resolve()
  const [first, ...others] = await Promise.all(asked)
  for (const list of others) expect(list).toBe(first as NonNullable<typeof first>)
  expect(await other).not.toBe(first as NonNullable<typeof first>)
  expect(made).toBe(2)
})

test('a list that failed is made again', async () => {
  const lists = createEntityLists()
  const failing = lists.addLater(snapshot, page.query, () => Promise.reject(new Error('once')))
  expect(failing).rejects.toThrow('once')
  await failing.catch(() => undefined)
  expect(await lists.addLater(snapshot, page.query, async () => page)).toBeDefined()
})

/** Adds a list of each query, and compresses it. Returns the queries of those that stay. */
async function compressedOf(queries: readonly string[], json: string): Promise<readonly string[]> {
  const lists = createEntityLists()
  lists.find(snapshot, '')
  for (const query of queries) await lists.add(snapshot, { ...pageOf(json), query }).gzipped()
  return queries.filter((query) => lists.find(snapshot, query) !== undefined)
}

test('a compressed list takes the room of its compressed body', async () => {
  const large = 'x'.repeat(32 * 1024 * 1024 - 100)
  expect(await compressedOf(['a', 'b'], large)).toStrictEqual(['a', 'b'])
  const incompressible = randomBytes(7_500_000).toString('base64')
  expect(await compressedOf(['a', 'b', 'c', 'd', 'e'], incompressible)).toStrictEqual([
    'b',
    'c',
    'd',
    'e',
  ])
})

test('a list of an earlier snapshot that was being compressed is not kept', async () => {
  const lists = createEntityLists()
  lists.find(snapshot, page.query)
  const earlier = lists.add(snapshot, pageOf('x'.repeat(2_000))).gzipped()
  const next = { ...snapshot, entities: [...shop] }
  lists.find(next, page.query)
  await earlier
  expect(lists.find(next, page.query)).toBeUndefined()
  const list = lists.add(next, page)
  expect(lists.find(next, page.query)).toBe(list)
})

test('sizes are those of UTF-8', async () => {
  const listOf = (json: string) => createEntityLists().add(snapshot, pageOf(json))
  expect(listOf('x'.repeat(600_000)).body()).toBeInstanceOf(Blob)
  expect(listOf('ü'.repeat(600_000)).body()).toBeInstanceOf(ReadableStream)
  expect(listOf('x'.repeat(600)).gzipped()).toBeUndefined()
  expect(await listOf('ü'.repeat(600)).gzipped()).toBeInstanceOf(Blob)
  expect(listOf('ü'.repeat(17 * 1024 * 1024)).gzipped()).toBeUndefined()
})

test.each([
  ['none', []],
  ['one', ['{"a":"é"}']],
  ['as many as fit into a chunk', Array<string>(64).fill('{}')],
  ['one more', Array<string>(65).fill('{}')],
  ['more than a megabyte', Array<string>(300).fill(JSON.stringify('ü'.repeat(10_000)))],
])('the list of %s is the same whole, in chunks and compressed', async (_, jsons) => {
  const list = createEntityLists().add(snapshot, pageOf(...jsons))
  const text = await new Response(list.body()).text()
  expect(text).toBe(`[${jsons.join(',')}]`)
  const gzipped = await list.gzipped()
  if (gzipped === undefined) expect(Buffer.byteLength(text)).toBeLessThan(1024)
  else expect(Buffer.from(Bun.gunzipSync(await gzipped.bytes())).toString()).toBe(text)
  expect(await list.gzipped()).toBe(gzipped)
})
