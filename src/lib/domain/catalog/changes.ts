import type { RepositoryPath } from '../../names.ts'
import type { FileListing, ListedFile } from '../../ports/git-host.ts'
import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'

/** Matches the paths of files that the catalog reads. */
export const CATALOG_FILE = /\.ya?ml$/

/** How the catalog's files differ between two listings. Whether a file is executable is no difference. */
export interface CatalogChanges {
  /** The later one, whole. */
  readonly listing: FileListing
  /** New, or with other content. */
  readonly changed: readonly ListedFile[]
  /** Paths of the earlier one that are not there any more, or have other content: what was read there does not count. */
  readonly gone: ReadonlySet<RepositoryPath>
}

export async function compareListings(
  listing: FileListing,
  previous: FileListing | undefined,
): Promise<CatalogChanges> {
  const changed: ListedFile[] = []
  const gone = new Set<RepositoryPath>()
  const pairs = inPairs(previous?.files ?? [], listing.files)
  await visitInSlices(pairs, createTimeSlice(), ([before, now]) => {
    if (before?.blob === now?.blob) return
    if (before !== undefined && CATALOG_FILE.test(before.path)) gone.add(before.path)
    if (now !== undefined && CATALOG_FILE.test(now.path)) changed.push(now)
  })
  return { listing, changed, gone }
}

/** For every path of two lists that are sorted by it, what each has there. */
function* inPairs(
  before: readonly ListedFile[],
  now: readonly ListedFile[],
): Generator<readonly [ListedFile | undefined, ListedFile | undefined], void, void> {
  let at = 0
  for (const file of now) {
    let old = before[at]
    for (; old !== undefined && old.path < file.path; old = before[++at]) yield [old, undefined]
    if (old?.path === file.path) at++
    else old = undefined
    yield [old, file]
  }
  for (const old of before.slice(at)) yield [old, undefined]
}
