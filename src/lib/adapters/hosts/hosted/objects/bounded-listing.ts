import { fairShares } from '../../../../fair-shares.ts'
import { folderBelow } from '../../../../files/folder-below.ts'
import type { DirectoryAtCommit, FileListing, ListedFile } from '../../../../ports/git-host.ts'

/** At most `filesMax` files, the places shared fairly among the folders of the first level, so that a huge one costs only itself. */
export function boundedListing(
  listing: FileListing,
  { directory, filesMax }: Pick<DirectoryAtCommit, 'directory' | 'filesMax'>,
): FileListing {
  if (filesMax === undefined || listing.files.length <= filesMax) return listing
  const folders = Map.groupBy(listing.files, ({ path }) => folderBelow(directory ?? '', path))
  const demands = [...folders.values()].map(({ length }) => length)
  const shares = fairShares(demands, filesMax)
  const kept = new Set<ListedFile>()
  const cut: string[] = []
  for (const [index, [folder, files]] of [...folders].entries()) {
    const share = shares[index] ?? 0
    for (const file of files.slice(0, share)) kept.add(file)
    if (share < files.length) cut.push(folder)
  }
  return {
    ...listing,
    files: listing.files.filter((file) => kept.has(file)),
    skipped: [...listing.skipped, ...cut.map(tooManyFiles)],
  }
}

export const tooManyFiles = (rawPath: string) => ({ rawPath, reason: 'too_many_files' }) as const
