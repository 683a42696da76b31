import { ObjectId, type RepositoryPath } from '../names.ts'
import type {
  DirectoryAtCommit,
  FileListing,
  GitFailure,
  ListedFile,
  SkippedFile,
} from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { createTimeSlice, visitInSlices } from '../concurrency/time-slice.ts'
import { hostError } from './git.ts'
import { resolveObjects } from './objects.ts'
import { listWithin } from './bounded-listing.ts'
import { listTree, listTreeWithin, MODE_TREE, toItem, type TreeEntry } from './trees.ts'

/** Output per file of a bounded listing: paths are seldom longer. */
const BYTES_PER_FILE = 160

/** One process for a folder; one more for the tree of the whole repository, which no listing names. */
export async function listFiles(
  directory: string,
  { commit, directory: folder, filesMax }: DirectoryAtCommit,
): Promise<Result<FileListing, GitFailure>> {
  const only = folder === undefined ? [] : ['--', folder]
  const selection = ['-r', '-t', '-l', `${commit}^{commit}`, ...only]
  const [root, entries] = await Promise.all([
    folder === undefined ? rootOf(directory, commit) : ok(null),
    filesMax === undefined
      ? listTree(directory, selection)
      : listTreeWithin(directory, selection, filesMax * BYTES_PER_FILE),
  ])
  if (!entries.ok) {
    // An id that names no commit is a mistake of the caller, not a failure of the host.
    const found = await resolveObjects(directory, [`${commit}^{commit}`])
    const isMissing = found.ok && found.value[0] === null
    if (isMissing) return err({ kind: 'git_not_found', what: 'commit' })
    // A tree is missing or damaged somewhere below: the others can still be listed.
    const part =
      filesMax === undefined ? null : await listPartly(directory, commit, folder ?? '', filesMax)
    return part?.ok === true ? part : entries
  }
  if (!root.ok) return root
  const listing = await itemsOf(entries.value ?? [])
  if (filesMax !== undefined && (entries.value === null || listing.files.length > filesMax)) {
    return listPartly(directory, commit, folder ?? '', filesMax)
  }
  const tree = root.value ?? treeAt(entries.value ?? [], folder)
  return ok({ tree, ...(tree === null ? NOTHING : listing) })
}

const NOTHING = { files: [], skipped: [] }

/** For a folder that has a tree. */
async function listPartly(
  directory: string,
  commit: ObjectId,
  folder: string,
  filesMax: number,
): Promise<Result<FileListing, GitFailure>> {
  const found = await resolveObjects(directory, [`${commit}:${folder}`])
  if (!found.ok) return found
  const [object] = found.value
  if (object?.type !== 'tree') return err(hostError(`the tree of ${commit} cannot be read`))
  const tree = object.id
  const listed = await listWithin(directory, { path: folder, tree }, filesMax)
  if (!listed.ok) return listed
  const { files, skipped } = await itemsOf(listed.value.entries)
  const cut = listed.value.cut.map((rawPath) => ({ rawPath, reason: 'too_many_files' }) as const)
  return ok({ tree, files, skipped: [...skipped, ...cut] })
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
