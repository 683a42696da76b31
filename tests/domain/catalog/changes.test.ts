import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareListings } from '#src/lib/domain/catalog/changes.ts'
import type { ListedFile } from '#src/lib/ports/git-host.ts'
import { oid, path } from '#tests/contracts/git-host.ts'

const BLOBS = ['1', '2', '3'].map((digit) => oid(digit.repeat(40)))

const file: fc.Arbitrary<ListedFile> = fc.record({
  path: fc.constantFrom('a.yaml', 'b.yml', 'b/c.yaml', 'c.txt', 'd.yaml', 'yaml').map(path),
  blob: fc.constantFrom(...BLOBS),
  executable: fc.boolean(),
})

const sorted = (files: readonly ListedFile[]) =>
  files.toSorted((a, b) => (a.path < b.path ? -1 : 1))

const files = fc.uniqueArray(file, { selector: ({ path }) => path }).map(sorted)

/** Two lists, the later with some of the objects of the earlier. */
const lists = files
  .chain((before) => fc.tuple(fc.constant(before), fc.subarray([...before]), files))
  .map(([before, shared, more]) => {
    const others = more.filter(({ path }) => shared.every((item) => item.path !== path))
    return { before, now: sorted([...shared, ...others]) }
  })

const listing = (files: readonly ListedFile[]) => ({ tree: null, files, skipped: [] })

const isCatalogFile = ({ path }: ListedFile) => /\.ya?ml$/.test(path)

test('for any two listings: what a naive comparison says', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async ({ before, now }) => {
      const isIn = (list: readonly ListedFile[]) => (one: ListedFile) =>
        list.some(({ path, blob }) => path === one.path && blob === one.blob)
      const { changed, gone } = await compareListings(listing(now), listing(before))
      expect(changed).toStrictEqual(now.filter((one) => isCatalogFile(one) && !isIn(before)(one)))
      expect([...gone]).toStrictEqual(
        before.filter((one) => isCatalogFile(one) && !isIn(now)(one)).map(({ path }) => path),
      )
    }),
    { numRuns: 5_000 },
  )
})

test('without an earlier listing everything changed', async () => {
  await fc.assert(
    fc.asyncProperty(files, async (now) => {
      const { changed, gone } = await compareListings(listing(now), undefined)
      expect(changed).toStrictEqual(now.filter(isCatalogFile))
      expect(gone.size).toBe(0)
    }),
  )
})
