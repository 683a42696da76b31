import { createTimeSlice } from '../../../../concurrency/time-slice.ts'
import { type ObjectId, RepositoryPath } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import type { Folder, FolderItem } from './index.ts'
import { hostError } from '../../../../git/git.ts'
import { findEntries, isFolder, readTrees, sizesOf, type TreeEntry } from '../../../../git/trees.ts'

/** Of the names, and of what is shown beside each. About ten thousand items. */
const FOLDER_BYTES_MAX = 1024 * 1024
const ITEM_BYTES = 60

interface PathAtCommit {
  readonly commit: ObjectId
  readonly path: RepositoryPath
}

export async function findItem(
  directory: string,
  { commit, path }: PathAtCommit,
): Promise<Result<FolderItem | null, GitFailure>> {
  const found = await findEntries(directory, commit, [path])
  if (!found.ok) return found
  const entry = found.value.get(path)
  if (entry === undefined) return ok(null)
  const sizes = await sizesOf(directory, [entry])
  return sizes.ok ? ok(toItem(entry, sizes.value[0] ?? null, path.split('/').slice(0, -1))) : sizes
}

export async function readFolder(
  directory: string,
  { commit, path }: { readonly commit: ObjectId; readonly path: RepositoryPath | null },
): Promise<Result<Folder, GitFailure>> {
  const found = await findEntries(directory, commit, [path ?? ''])
  if (!found.ok) return found
  const folder = found.value.get(path ?? '')
  if (folder === undefined || !isFolder(folder)) return err({ kind: 'git_not_found', what: 'file' })
  const read = await readTrees(directory, [folder.id], createTimeSlice())
  if (!read.ok) return read
  const tree = read.value.trees.get(folder.id)
  if (tree === undefined) return err(hostError(`the tree ${folder.id} cannot be read`))
  let bytes = 0
  const shown = tree.filter((entry) => (bytes += entry.path.length + ITEM_BYTES) < FOLDER_BYTES_MAX)
  const sizes = await sizesOf(directory, shown)
  if (!sizes.ok) return sizes
  const above = path === null ? [] : path.split('/')
  const items = shown.map((entry, index) => toItem(entry, sizes.value[index] ?? null, above))
  const [folders, others] = [true, false].map((isWanted) =>
    items.filter(({ kind }) => (kind === 'folder') === isWanted),
  )
  return ok({
    items: [...(folders ?? []), ...(others ?? [])],
    isCut: shown.length < tree.length,
  })
}

function toItem(entry: TreeEntry, sizeBytes: number | null, above: readonly string[]): FolderItem {
  const { path } = entry
  const rawName = path.slice(path.lastIndexOf('/') + 1)
  return {
    kind: kindOf(entry),
    rawName,
    path: RepositoryPath.parse([...above, rawName].join('/')) ?? null,
    sizeBytes,
  }
}

function kindOf(entry: TreeEntry): FolderItem['kind'] {
  const { mode } = entry
  if (isFolder(entry)) return 'folder'
  if (mode === '120000') return 'symbolic_link'
  return mode === '160000' ? 'submodule' : 'file'
}
