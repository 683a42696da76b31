import { ObjectId, type RepositoryPath } from '../../../names.ts'
import type { FileListing, GitFailure, ListedFile, SkippedFile } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice, mergeInSlices, visitInSlices } from '../../../time-slice.ts'
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
  const listing = since && (await listChanges(directory, at, since))
  return listing === undefined ? listAll(directory, at) : ok(listing)
}

/** One process for a folder; the tree of the whole repository is asked for beside it, since no listing names it. */
async function listAll(
  directory: string,
  { commit, directory: folder }: Place,
): Promise<Result<FileListing, GitFailure>> {
  const only = folder === undefined ? [] : ['--', folder]
  const [root, entries] = await Promise.all([
    folder === undefined ? treeOf(directory, commit) : ok(null),
    collect(listTree(directory, ['-r', '-t', `${commit}^{commit}`, ...only])),
  ])
  if (!entries.ok) {
    const isThere = await isCommit(directory, commit)
    return isThere ? entries : err({ kind: 'git_not_found', what: 'commit' })
  }
  if (!root.ok) return root
  const top = entries.value.find(({ mode, path }) => mode === MODE_TREE && path === folder)
  const tree = root.value ?? ObjectId.parse(top?.id) ?? null
  return ok(tree === null ? NO_DIRECTORY : { tree, ...(await itemsOf(entries.value)) })
}

const NO_DIRECTORY: FileListing = { tree: null, files: [], skipped: [] }

/** `undefined` when git cannot compare, for instance because a tree is missing. The full listing then says why. */
async function listChanges(
  directory: string,
  { commit, directory: folder }: Place,
  since: FileListing,
): Promise<FileListing | undefined> {
  if (since.tree === null) return undefined
  const name = `${commit}^{commit}:${folder ?? ''}`
  const [found, entries] = await Promise.all([
    resolveObjects(directory, [name]),
    collect(diffTrees(directory, since.tree, name)),
  ])
  const tree = found.ok ? found.value[0]?.id : undefined
  if (tree === undefined || !entries.ok) return undefined
  if (tree === since.tree) return since

  const pause = createTimeSlice()
  const changed: Entry[] = []
  const paths = new Set<string>()
  await visitInSlices(entries.value, pause, (entry) => {
    const path = folder === undefined ? entry.path : `${folder}/${entry.path}`
    paths.add(path)
    if (entry.mode !== MODE_DELETED) changed.push({ ...entry, path })
  })
  // Bytes that are no UTF-8 are decoded to U+FFFD, so that two paths may look like one.
  if (paths.values().some((path) => path.includes('\u{fffd}'))) return undefined
  const kept: ListedFile[] = []
  await visitInSlices(since.files, pause, (file) => {
    if (!paths.has(file.path)) kept.push(file)
  })
  const { files, skipped } = await itemsOf(changed, pause)
  return {
    tree,
    files: await mergeInSlices(kept, files, byPath, pause),
    skipped: [...since.skipped.filter(({ rawPath }) => !paths.has(rawPath)), ...skipped],
  }
}

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

async function treeOf(
  directory: string,
  commit: ObjectId,
): Promise<Result<ObjectId | null, GitFailure>> {
  const found = await resolveObjects(directory, [`${commit}^{tree}`])
  return found.ok ? ok(found.value[0]?.id ?? null) : found
}

/** Asked when a listing failed: an id of nothing, or of something else, is the caller's mistake and not the host's. */
async function isCommit(directory: string, commit: ObjectId): Promise<boolean> {
  const found = await resolveObjects(directory, [`${commit}^{commit}`])
  return !found.ok || found.value[0] !== null
}
