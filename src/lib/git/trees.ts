import { createTimeSlice, type Pause, visitInSlices } from '../concurrency/time-slice.ts'
import { ObjectId, RepositoryPath } from '../names.ts'
import type { GitAnswer, ListedFile, SkippedFile } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { hostError } from './git.ts'
import { type NamedObject, readContents, resolveObjects } from './objects.ts'

export interface TreeEntry {
  /** In six octal digits. */
  readonly mode: string
  readonly id: string
  /** Its name, where only one tree was read. */
  readonly path: string
}

export type Trees = ReadonlyMap<string, readonly TreeEntry[]>

const MODE_TREE = '040000'
export const isFolder = ({ mode }: TreeEntry) => mode === MODE_TREE
const MODE_SUBMODULE = '160000'

export function toItem(
  { mode, id, path: rawPath }: TreeEntry,
  sizeBytes?: number | null,
): ListedFile | SkippedFile {
  if (mode === '120000') return { rawPath, reason: 'symbolic_link' }
  if (mode === MODE_SUBMODULE) return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  const blob = ObjectId.parse(id)
  if (path === undefined || blob === undefined) return { rawPath, reason: 'unsafe_path' }
  const size = typeof sizeBytes === 'number' && { sizeBytes }
  return { path, blob, executable: mode === '100755', ...size }
}

/** Upper bound of the trees that are read at once, unless the caller has another. */
const BYTES_MAX = 32 * 1024 * 1024
const ID_BYTES = 20
const SPACE = 0x20

/**
 * The objects that these names stand for, and the trees among them by their ids, with their entries in the order of git. The small ones are read first, until
 * all together are too large. Trees that are missing or damaged are left out too.
 */
export async function readTrees(
  directory: string,
  names: readonly string[],
  pause: Pause,
  bytesMax = BYTES_MAX,
): GitAnswer<ReadTrees> {
  const found = await resolveObjects(directory, names)
  if (!found.ok) return found
  let bytesLeft = bytesMax
  const readable = found.value
    .flatMap((object) => (object?.type === 'tree' ? [object] : []))
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes)
    .filter(({ sizeBytes }) => {
      const fits = sizeBytes <= bytesLeft
      if (fits) bytesLeft -= sizeBytes
      return fits
    })
  const trees = new Map<string, readonly TreeEntry[]>()
  for await (const read of readContents(directory, readable)) {
    if (!read.ok) return read
    const { id, bytes } = read.value
    if (bytes === null) continue
    const entries: TreeEntry[] = []
    let isWhole = true
    await visitInSlices(entriesIn(Buffer.from(bytes.buffer)), pause, (entry) => {
      if (entry === null) isWhole = false
      else entries.push(entry)
    })
    if (isWhole) trees.set(id, entries)
  }
  return ok({ found: found.value, trees, bytesLeft })
}

interface ReadTrees {
  readonly found: readonly (NamedObject | null)[]
  readonly trees: Trees
  /** Rest of the bytes that the caller allowed. */
  readonly bytesLeft: number
}

/** An entry is its mode, a space, its name, NUL, and the bytes of its id. The last one is `null` in a tree that is none. */
function* entriesIn(tree: Buffer): Generator<TreeEntry | null, void, void> {
  for (let start = 0; start < tree.length;) {
    const space = tree.indexOf(SPACE, start)
    const nameEnd = tree.indexOf(0, space)
    const end = nameEnd + 1 + ID_BYTES
    if (space < 0 || nameEnd < 0 || end > tree.length) return yield null
    yield {
      // Git writes no zero before the mode of a tree.
      mode: tree.toString('latin1', start, space).padStart(6, '0'),
      path: tree.toString('utf8', space + 1, nameEnd),
      id: tree.toString('hex', nameEnd + 1, end),
    }
    start = end
  }
}

/** The entries at these paths of a commit, or of a tree that a merge with it made, as far as they exist; `''` is the whole tree. */
export async function findEntries(
  directory: string,
  commit: ObjectId,
  paths: readonly (RepositoryPath | '')[],
  top = commit,
): GitAnswer<ReadonlyMap<string, TreeEntry>> {
  const folders = [...new Set(paths.flatMap(foldersAbove))].toSorted()
  const names = ['', ...folders].map((folder) => `${top}:${folder}`)
  const pause = createTimeSlice()
  const read = await readTrees(directory, [`${commit}^{commit}`, ...names], pause)
  if (!read.ok) return read
  const { found, trees } = read.value
  const [isCommit, root] = found
  if (!isCommit) return err({ kind: 'git_not_found', what: 'commit' })
  if (!root) return err(hostError(`the tree of ${commit} cannot be read`))
  const wanted = new Set<string>([...paths, ...folders])
  const entries = new Map([['', { mode: MODE_TREE, id: String(root.id), path: '' }]])
  // Each folder comes before what is in it. Git has no word for a tree that is missing, other than for a path that does not exist.
  for (const folder of folders) {
    const entry = entries.get(folder)
    if (entry === undefined || !isFolder(entry)) continue
    const tree = trees.get(entry.id)
    if (!tree) return err(hostError(`the tree ${entry.id} of ${commit} cannot be read`))
    await visitInSlices(tree, pause, ({ mode, id, path: name }) => {
      const path = pathIn(folder, name)
      if (wanted.has(path)) entries.set(path, { mode, id, path })
    })
  }
  return ok(entries)
}

export const pathIn = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)

/** The whole repository is `''`, and nothing is above it. */
const foldersAbove = (path: string) =>
  path === '' ? [] : path.split('/').map((_, index, names) => names.slice(0, index).join('/'))

/** Sizes of blobs in the order of the entries; `null` for other objects, and for a blob that is missing. */
export async function sizesOf(
  directory: string,
  entries: readonly TreeEntry[],
): GitAnswer<readonly (number | null)[]> {
  const isBlob = ({ mode }: TreeEntry) => mode !== MODE_TREE && mode !== MODE_SUBMODULE
  const ids = entries.map((entry) => (isBlob(entry) ? entry.id : ''))
  const found = await resolveObjects(directory, ids)
  return found.ok ? ok(found.value.map((object) => object?.sizeBytes ?? null)) : found
}
