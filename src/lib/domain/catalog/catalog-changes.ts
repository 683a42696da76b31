import type { RepositoryPath } from '../../names.ts'
import type { FileListing, ListedFile } from '../../ports/git-host.ts'
import { createTimeSlice, visitInSlices } from '../../time-slice.ts'

/** The files the catalog reads. */
export const CATALOG_FILE = /\.ya?ml$/

/** How the files of the catalog in a listing differ from those in the one before. */
export interface CatalogChanges {
  readonly listing: FileListing
  /** New, or with other content. */
  readonly changed: readonly ListedFile[]
  /** Not there any more, or with other content. */
  readonly gone: ReadonlySet<RepositoryPath>
}

/** Both listings are sorted, so that one walk along both finds what they share: nearly always the very items. */
export async function catalogChanges(
  listing: FileListing,
  previous: FileListing | undefined,
): Promise<CatalogChanges> {
  const before = previous?.files ?? []
  const changed: ListedFile[] = []
  const gone = new Set<RepositoryPath>()
  const add = (file: ListedFile) => {
    if (CATALOG_FILE.test(file.path)) changed.push(file)
  }
  const leave = (file: ListedFile) => {
    if (CATALOG_FILE.test(file.path)) gone.add(file.path)
  }
  let at = 0
  await visitInSlices(listing.files, createTimeSlice(), (file) => {
    let old = before[at]
    if (old === file) {
      at++
      return
    }
    for (; old !== undefined && old.path < file.path; old = before[++at]) leave(old)
    if (old?.path !== file.path) return add(file)
    at++
    if (old.blob === file.blob) return
    leave(old)
    add(file)
  })
  for (const old of before.slice(at)) leave(old)
  return { listing, changed, gone }
}
