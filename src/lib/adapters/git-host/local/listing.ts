import { ObjectId, type RepositoryPath } from '../../../names.ts'
import type { FileListing, GitFailure, ListedFile, SkippedFile } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice, mergeInSlices, visitInSlices } from '../../../concurrency/time-slice.ts'
import { resolveObjects } from './objects.ts'
import { diffTrees, type Entry, listTree, MODE_DELETED, MODE_TREE, toItem } from './trees.ts'

interface Place {
  readonly commit: ObjectId
  readonly directory?: RepositoryPath
}

export async function listFiles(
  directory: string,
  { since, ...at }: Place & { readonly since?: FileListing | undefined },
): Promise<Result<FileListing, GitFailure>> {
  return (since && (await listChanges(directory, at, since))) ?? listAll(directory, at)
}

/** One process for a folder; the tree of the whole repository is asked for beside it, since no listing names it. */
async function listAll(directory: string, at: Place): Promise<Result<FileListing, GitFailure>> {
  const only = at.directory === undefined ? [] : ['--', at.directory]
  const [root, entries] = await Promise.all([
    at.directory === undefined ? rootOf(directory, at.commit) : ok(null),
    collect(listTree(directory, ['-r', '-t', `${at.commit}^{commit}`, ...only])),
  ])
  if (!entries.ok) {
    const isThere = await isCommit(directory, at.commit)
    return isThere ? entries : err({ kind: 'git_not_found', what: 'commit' })
  }
  if (!root.ok) return root
  const tree = root.value ?? treeAt(entries.value, at.directory)
  return ok({ tree, ...(await itemsOf(tree === null ? [] : entries.value)) })
}

/** `undefined` when git cannot compare, for instance because a tree is missing. The full listing then says why. */
async function listChanges(
  directory: string,
  { commit, directory: folder }: Place,
  since: FileListing,
): Promise<Result<FileListing, GitFailure> | undefined> {
  if (since.tree === null) return undefined
  const tree =
    folder === undefined
      ? await rootOf(directory, commit)
      : await folderOf(directory, commit, folder)
  if (!tree.ok) return unlessLate(tree)
  if (tree.value === null) return undefined
  if (tree.value === since.tree) return ok(since)
  const entries = await collect(diffTrees(directory, since.tree, tree.value))
  if (!entries.ok) return unlessLate(entries)

  const pause = createTimeSlice()
  const paths = new Set<string>()
  const changed: Entry[] = []
  let isAmbiguous = false
  await visitInSlices(entries.value, pause, (entry) => {
    const path = folder === undefined ? entry.path : `${folder}/${entry.path}`
    paths.add(path)
    // Bytes that are no UTF-8 are decoded to U+FFFD, so that two paths may look like one.
    isAmbiguous ||= path.includes('\u{fffd}')
    if (entry.mode !== MODE_DELETED) changed.push({ ...entry, path })
  })
  if (isAmbiguous) return undefined
  const kept: ListedFile[] = []
  await visitInSlices(since.files, pause, (file) => {
    if (!paths.has(file.path)) kept.push(file)
  })
  const { files, skipped } = await itemsOf(changed, pause)
  return ok({
    tree: tree.value,
    files: await mergeInSlices(kept, files, byPath, pause),
    skipped: [...since.skipped.filter(({ rawPath }) => !paths.has(rawPath)), ...skipped],
  })
}

/** Whoever waited until the deadline does not wait for another. */
const unlessLate = (failure: { readonly ok: false; readonly error: GitFailure }) =>
  failure.error.kind === 'git_host_timeout' ? failure : undefined

/** Byte order, since a `RepositoryPath` is ASCII. */
const byPath = (a: ListedFile, b: ListedFile): number => (a.path < b.path ? -1 : 1)

async function itemsOf(entries: readonly Entry[], pause = createTimeSlice()) {
  const files: ListedFile[] = []
  const skipped: SkippedFile[] = []
  await visitInSlices(entries, pause, (entry) => {
    if (entry.mode === MODE_TREE) return
    const item = toItem(entry)
    if ('reason' in item) skipped.push(item)
    else files.push(item)
  })
  return { files, skipped }
}

async function collect<Item>(
  portions: AsyncIterable<Result<readonly Item[], GitFailure>>,
): Promise<Result<readonly Item[], GitFailure>> {
  const all: (readonly Item[])[] = []
  for await (const portion of portions) {
    if (!portion.ok) return portion
    all.push(portion.value)
  }
  return ok(all.flat())
}

async function rootOf(
  directory: string,
  commit: ObjectId,
): Promise<Result<ObjectId | null, GitFailure>> {
  const found = await resolveObjects(directory, [`${commit}^{commit}^{tree}`])
  return found.ok ? ok(found.value[0]?.id ?? null) : found
}

/** Not by `commit:folder`: git understands names of some folders as something else, and takes a submodule's commit for a tree. */
async function folderOf(
  directory: string,
  commit: ObjectId,
  folder: RepositoryPath,
): Promise<Result<ObjectId | null, GitFailure>> {
  const entries = await collect(listTree(directory, ['-d', `${commit}^{commit}`, '--', folder]))
  return entries.ok ? ok(treeAt(entries.value, folder)) : entries
}

const treeAt = (entries: readonly Entry[], folder: RepositoryPath | undefined): ObjectId | null =>
  ObjectId.parse(entries.find(({ mode, path }) => mode === MODE_TREE && path === folder)?.id) ??
  null

/** Asked when a listing failed: an id of nothing, or of something else, is the caller's mistake and not the host's. */
async function isCommit(directory: string, commit: ObjectId): Promise<boolean> {
  const found = await resolveObjects(directory, [`${commit}^{commit}`])
  return !found.ok || found.value[0] !== null
}
