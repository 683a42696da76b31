import { ObjectId, type RepositoryPath } from '../../../names.ts'
import type {
  DirectoryAtCommit,
  FileListing,
  GitFailure,
  ListedFile,
  SkippedFile,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import { resolveObjects } from './objects.ts'
import { listTree, MODE_TREE, toItem, type TreeEntry } from './trees.ts'

/** One process for a folder; one more for the tree of the whole repository, which no listing names. */
export async function listFiles(
  directory: string,
  { commit, directory: folder }: DirectoryAtCommit,
): Promise<Result<FileListing, GitFailure>> {
  const only = folder === undefined ? [] : ['--', folder]
  const [root, entries] = await Promise.all([
    folder === undefined ? rootOf(directory, commit) : ok(null),
    listTree(directory, ['-r', '-t', `${commit}^{commit}`, ...only]),
  ])
  if (!entries.ok) {
    // An id that names no commit is a mistake of the caller, not a failure of the host.
    const found = await resolveObjects(directory, [`${commit}^{commit}`])
    const isMissing = found.ok && found.value[0] === null
    return isMissing ? err({ kind: 'git_not_found', what: 'commit' }) : entries
  }
  if (!root.ok) return root
  const tree = root.value ?? treeAt(entries.value, folder)
  return ok({ tree, ...(await itemsOf(tree === null ? [] : entries.value)) })
}

async function itemsOf(entries: readonly TreeEntry[]) {
  const files: ListedFile[] = []
  const skipped: SkippedFile[] = []
  await visitInSlices(entries, createTimeSlice(), (entry) => {
    if (entry.mode === MODE_TREE) return
    const item = toItem(entry)
    if ('reason' in item) skipped.push(item)
    else files.push(item)
  })
  return { files, skipped }
}

async function rootOf(
  directory: string,
  commit: ObjectId,
): Promise<Result<ObjectId | null, GitFailure>> {
  const found = await resolveObjects(directory, [`${commit}^{commit}^{tree}`])
  return found.ok ? ok(found.value[0]?.id ?? null) : found
}

const treeAt = (
  entries: readonly TreeEntry[],
  folder: RepositoryPath | undefined,
): ObjectId | null =>
  ObjectId.parse(entries.find(({ mode, path }) => mode === MODE_TREE && path === folder)?.id) ??
  null
