import { ObjectId, RepositoryPath } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { missingCommitOr } from '../../../../git/log.ts'
import { listTree, listTreeStart, MODE_TREE, type TreeEntry } from '../../../../git/trees.ts'
import type { Folder, FolderItem } from './index.ts'

/** About ten thousand items. */
const FOLDER_BYTES_MAX = 1024 * 1024

interface PathAtCommit {
  readonly commit: ObjectId
  readonly path: RepositoryPath
}

export async function findItem(
  directory: string,
  { commit, path }: PathAtCommit,
): Promise<Result<FolderItem | null, GitFailure>> {
  const entry = await findEntry(directory, { commit, path })
  if (!entry.ok) return entry
  return ok(entry.value === null ? null : toItem(entry.value, path.split('/').slice(0, -1)))
}

async function findEntry(
  directory: string,
  { commit, path }: PathAtCommit,
): Promise<Result<TreeEntry | null, GitFailure>> {
  const entries = await listTree(directory, ['-l', `${commit}^{commit}`, '--', path])
  if (!entries.ok) return missingCommitOr(entries, directory, [commit])
  return ok(entries.value.find((entry) => entry.path === path) ?? null)
}

export async function readFolder(
  directory: string,
  { commit, path }: { readonly commit: ObjectId; readonly path: RepositoryPath | null },
): Promise<Result<Folder, GitFailure>> {
  const tree = path === null ? ok(`${commit}^{commit}`) : await treeOf(directory, { commit, path })
  if (!tree.ok) return tree
  const listed = await listTreeStart(directory, ['-l', tree.value], FOLDER_BYTES_MAX)
  if (!listed.ok) return missingCommitOr(listed, directory, [commit])
  const above = path === null ? [] : path.split('/')
  const items = listed.value.entries.map((entry) => toItem(entry, above))
  const [folders, others] = [true, false].map((isFolder) =>
    items.filter(({ kind }) => (kind === 'folder') === isFolder),
  )
  return ok({ items: [...(folders ?? []), ...(others ?? [])], isCut: listed.value.isCut })
}

async function treeOf(directory: string, at: PathAtCommit): Promise<Result<string, GitFailure>> {
  const entry = await findEntry(directory, at)
  if (!entry.ok) return entry
  const id = entry.value?.mode === MODE_TREE ? ObjectId.parse(entry.value.id) : undefined
  return id === undefined ? err({ kind: 'git_not_found', what: 'file' }) : ok(id)
}

function toItem({ mode, path, sizeBytes }: TreeEntry, above: readonly string[]): FolderItem {
  const rawName = path.slice(path.lastIndexOf('/') + 1)
  return {
    kind: kindOf(mode),
    rawName,
    path: RepositoryPath.parse([...above, rawName].join('/')) ?? null,
    sizeBytes,
  }
}

function kindOf(mode: string): FolderItem['kind'] {
  if (mode === MODE_TREE) return 'folder'
  if (mode === '120000') return 'symbolic_link'
  return mode === '160000' ? 'submodule' : 'file'
}
