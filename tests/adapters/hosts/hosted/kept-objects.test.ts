import { expect, test } from 'bun:test'
import { createKeptObjects } from '#src/lib/adapters/hosts/hosted/objects/kept-objects.ts'
import { listingOf } from '#src/lib/adapters/hosts/hosted/objects/tree-listing.ts'
import { ObjectId } from '#src/lib/names.ts'
import { repositoryId } from '#tests/contracts/git-host.ts'

const id = (number: number) => ObjectId.of(number.toString(16).padStart(40, '0'))

test('blobs are kept up to a number of bytes; a large one displaces none', () => {
  const kept = createKeptObjects()
  for (let index = 0; index < 100; index += 1) kept.keepBlob(id(index), new Uint8Array(500_000))
  expect(kept.blob(id(0))).toBeUndefined()
  expect(kept.blob(id(99))?.length).toBe(500_000)
  kept.keepBlob(id(100), new Uint8Array(2_000_000))
  expect(kept.blob(id(100))).toBeUndefined()
  expect(kept.blob(id(99))?.length).toBe(500_000)
  kept.keepBlob(id(101), new Uint8Array())
  expect(kept.blob(id(101))?.length).toBe(0)
})

test('listings are kept up to a number of entries, each for its tree and folder', async () => {
  const kept = createKeptObjects()
  const large = await listingOf(
    Array.from({ length: 200_000 }, (_, index) => ({
      path: `f${String(index).padStart(6, '0')}`,
      mode: '100644',
      id: id(1),
      sizeBytes: 1,
    })),
  )
  for (const tree of [1, 2, 3]) kept.keepListing(id(tree), '', large)
  expect(kept.listing(id(1), '')).toBeUndefined()
  expect(kept.listing(id(3), '')).toBe(large)
  expect(kept.listing(id(3), 'catalog')).toBeUndefined()
})

test('the tree of a commit is known for the repository that has the commit', () => {
  const kept = createKeptObjects()
  kept.keepTreeOf(repositoryId('acme', 'one'), id(1), id(2))
  expect(kept.treeOf(repositoryId('acme', 'one'), id(1))).toBe(id(2))
  expect(kept.treeOf(repositoryId('acme', 'two'), id(1))).toBeUndefined()
})
