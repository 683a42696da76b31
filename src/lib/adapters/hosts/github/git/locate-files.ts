import type { ObjectId, RepositoryId, RepositoryPath } from '../../../../names.ts'
import type { FileToRead, GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import type { LocatedFiles } from '../../hosted/files.ts'
import type { GitHub } from '../github.ts'

/** Which blobs the files have. A listing that was dropped from memory is asked for again: it alone has the sizes. */
export async function locateFiles(
  { trees, kept, known: repositories }: GitHub,
  repository: RepositoryId,
  commit: ObjectId,
  files: readonly FileToRead[],
): Promise<Result<LocatedFiles, GitFailure>> {
  const complete = await repositories.requireComplete(repository)
  if (!complete.ok) return complete
  const blobs = new Map<RepositoryPath, ObjectId>()
  const unlisted = new Set<RepositoryPath>()
  for (const { path, blob } of files) {
    if (blob === undefined) unlisted.add(path)
    else blobs.set(path, blob)
  }
  for (const path of blobs.keys()) unlisted.delete(path)
  const known = [...blobs.values()].flatMap((blob) => {
    const sizeBytes = kept.blob(blob)?.length ?? trees.sizeOf(blob)
    return sizeBytes === undefined ? [] : [[blob, sizeBytes] as const]
  })
  if (unlisted.size === 0 && known.length === blobs.size) {
    return ok({ blobs, sizes: new Map(known), isIncomplete: false })
  }

  const tree = await trees.ofCommit(repository, commit)
  if (!tree.ok) return tree
  const listing = await trees.listingAt(repository, tree.value)
  if (!listing.ok) return listing
  let isIncomplete = false
  for (const path of unlisted) {
    const entry = await trees.entryAt(repository, tree.value, path)
    if (!entry.ok) return entry
    if (entry.value.kind === 'file') blobs.set(path, entry.value.file.blob)
    else isIncomplete = true
  }
  const sizes = new Map<ObjectId, number>()
  for (const blob of blobs.values()) {
    const sizeBytes = listing.value?.sizes.get(blob) ?? trees.sizeOf(blob)
    if (sizeBytes !== undefined) sizes.set(blob, sizeBytes)
  }
  return ok({ blobs, sizes, isIncomplete })
}
