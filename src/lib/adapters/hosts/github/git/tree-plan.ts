import { RepositoryPath, type ObjectId, type RepositoryId } from '../../../../names.ts'
import type { FileChange, GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import type { FoundEntry } from '../../hosted/objects/tree-listing.ts'
import type { TreeChange } from './objects.ts'
import type { Trees } from './trees.ts'

/**
 * The requests that make a tree out of another. GitHub refuses to remove a path that is not there, and does not say what it
 * does with `a/b` where `a` is a file, or with `a` where `a/b` is one: what is in the way goes first, in a tree of its own.
 */
export async function planTree(
  trees: Trees,
  repository: RepositoryId,
  tree: ObjectId,
  changes: readonly FileChange[],
): Promise<Result<readonly (readonly TreeChange[])[], GitFailure>> {
  const inTheWay = new Map<string, TreeChange>()
  const others: TreeChange[] = []
  for (const change of changes) {
    const { path } = change
    const isWrite = change.kind === 'write'
    for (const above of isWrite ? foldersOf(path) : []) {
      const entry = await trees.entryAt(repository, tree, above)
      if (!entry.ok) return entry
      if (entry.value.kind === 'file' || entry.value.kind === 'other') {
        inTheWay.set(above, { path: above, file: null })
      }
    }
    const entry = await trees.entryAt(repository, tree, path)
    if (!entry.ok) return entry
    const removals =
      isWrite && entry.value.kind !== 'folder'
        ? ok([])
        : await removalsOf(trees, repository, path, entry.value)
    if (!removals.ok) return removals
    if (isWrite) {
      for (const removal of removals.value) inTheWay.set(removal.path, removal)
      const { bytes, executable = false } = change
      others.push({ path, file: { bytes, executable } })
    } else {
      others.push(...removals.value)
    }
  }
  return ok([[...inTheWay.values()], others].filter(({ length }) => length > 0))
}

const foldersOf = (path: RepositoryPath): readonly RepositoryPath[] =>
  [...path.matchAll(/\//g)].map(({ index }) => RepositoryPath.of(path.slice(0, index)))

/** The removals that remove a path: all files of a folder, none where there is nothing. */
async function removalsOf(
  trees: Trees,
  repository: RepositoryId,
  path: RepositoryPath,
  entry: FoundEntry,
): Promise<Result<readonly TreeChange[], GitFailure>> {
  if (entry.kind === 'none') return ok([])
  if (entry.kind !== 'folder') return ok([{ path, file: null }])
  const listing = await trees.below(repository, { tree: entry.tree, path })
  if (!listing.ok) return listing
  const { files, skipped } = listing.value
  const paths = [...files.map((file) => file.path), ...skipped.map(({ rawPath }) => rawPath)]
  return ok(paths.map((below) => ({ path: below, file: null })))
}
