import { ObjectId, RepositoryPath } from '../../../names.ts'
import type { FileListing, GitFailure, ListedFile, SkippedFile } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice, mergeInSlices, visitInSlices } from '../../../time-slice.ts'
import { resolveObjects } from './objects.ts'
import { diffTrees, type Entry, listTree, NO_MODE } from './trees.ts'

export const NO_COMMIT = { kind: 'git_not_found', what: 'commit' } as const

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
async function listAll(directory: string, at: Place): Promise<Result<FileListing, GitFailure>> {
  const only = at.directory === undefined ? [] : ['--', at.directory]
  const [root, entries] = await Promise.all([
    at.directory === undefined ? treeOf(directory, at.commit) : ok(null),
    collect(listTree(directory, ['-r', '-t', `${at.commit}^{commit}`, ...only])),
  ])
  if (!entries.ok) return (await isCommit(directory, at.commit)) ? entries : err(NO_COMMIT)
  if (!root.ok) return root
  const folder = entries.value.find(({ type, path }) => type === 'tree' && path === at.directory)
  const tree = root.value ?? ObjectId.parse(folder?.id) ?? null
  if (tree === null) return ok({ tree, files: [], skipped: [] })

  const { files, skipped } = await toItems(entries.value.filter(({ type }) => type !== 'tree'))
  return ok({ tree, files, skipped })
}

/** `undefined` when git cannot tell, since one of the trees is not there: what that means, listing all says. */
async function listChanges(
  directory: string,
  { commit, directory: folder }: Place,
  since: FileListing,
): Promise<FileListing | undefined> {
  if (since.tree === null) return undefined
  const name = folder === undefined ? `${commit}^{tree}` : `${commit}^{commit}:${folder}`
  const [found, entries] = await Promise.all([
    resolveObjects(directory, [name]),
    collect(diffTrees(directory, since.tree, name, folder === undefined ? '' : `${folder}/`)),
  ])
  const tree = found.ok ? found.value[0]?.id : undefined
  if (tree === undefined || !entries.ok) return undefined

  const changed = entries.value
  const paths = new Set(changed.map(({ path }) => path))
  // Paths that are no UTF-8 may look the same.
  if (changed.some(({ path }) => path.includes('\u{fffd}'))) return undefined
  const pause = createTimeSlice()
  const kept: ListedFile[] = []
  await visitInSlices(since.files, pause, (file) => {
    if (!paths.has(file.path)) kept.push(file)
  })
  const { files, skipped } = await toItems(changed.filter(({ mode }) => mode !== NO_MODE))
  return {
    tree,
    files: await mergeInSlices(kept, files, byPath, pause),
    skipped: [...since.skipped.filter(({ rawPath }) => !paths.has(rawPath)), ...skipped],
  }
}

/** As bytes: a `RepositoryPath` is ASCII. */
const byPath = (a: ListedFile, b: ListedFile): number =>
  a.path === b.path ? 0 : a.path < b.path ? -1 : 1

async function toItems(entries: readonly Entry[]) {
  const files: ListedFile[] = []
  const skipped: SkippedFile[] = []
  await visitInSlices(entries, createTimeSlice(), (entry) => {
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

export function toItem({ mode, id, path: rawPath }: Entry): ListedFile | SkippedFile {
  if (mode === '120000') return { rawPath, reason: 'symbolic_link' }
  if (mode === '160000') return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  const blob = ObjectId.parse(id)
  if (path === undefined || blob === undefined) return { rawPath, reason: 'unsafe_path' }
  return { path, blob, executable: mode === '100755' }
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
