import {
  createTimeSlice,
  type Pause,
  sortInSlices,
  visitInSlices,
} from '../concurrency/time-slice.ts'
import { fairShares } from '../fair-shares.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { ok, type Result } from '../result.ts'
import { type RawTree, readTrees } from './raw-trees.ts'
import type { TreeEntry } from './trees.ts'

/** Bounds of the walk. What is deeper, or one tree too many, counts as endless. */
const DEPTH_MAX = 64
const TREES_MAX = 50_000

interface Folder {
  /** `''`: the root of the repository. */
  readonly path: string
  readonly tree: string
}

export interface BoundedListing {
  /** Sorted by path. */
  readonly entries: readonly TreeEntry[]
  /** The folders of the first level, or the listed folder itself, of which entries are missing. */
  readonly cut: readonly string[]
}

type Trees = ReadonlyMap<string, RawTree>

/**
 * The files below a folder, at most `filesMax`. Eight small trees can be a hundred million paths, so each tree is read and counted
 * once, however often it occurs. The places are shared fairly among the folders of each level: a huge folder loses files, and its
 * neighbours lose none.
 */
export async function listWithin(
  directory: string,
  root: Folder,
  filesMax: number,
): Promise<Result<BoundedListing, GitFailure>> {
  const pause = createTimeSlice()
  const trees = await readBelow(directory, root.tree, pause)
  if (!trees.ok) return trees
  const byId = trees.value
  const countBelow = counterOf(byId)
  const entries: TreeEntry[] = []
  const cut = new Set<string>()

  /** `named`: the folder that is named when files are missing. */
  async function take(folder: Folder, places: number, named: string): Promise<void> {
    // For each folder too: very many small ones take as long as a large one.
    await pause()
    const { files, folders } = byId.get(folder.tree) ?? NOTHING
    const demands = [files.length, ...folders.map(({ id }) => countBelow(id))]
    const [ofFiles = 0, ...ofFolders] = fairShares(demands, places)
    const prefix = folder.path === '' ? '' : `${folder.path}/`
    if (ofFiles < files.length) cut.add(named)
    await visitInSlices(files.slice(0, ofFiles), pause, (file) => {
      entries.push({ ...file, path: `${prefix}${file.path}` })
    })
    for (const [index, { id, path: name }] of folders.entries()) {
      const share = ofFolders[index] ?? 0
      const path = `${prefix}${name}`
      const namedBelow = folder === root ? path : named
      if (share < (demands[index + 1] ?? 0)) cut.add(namedBelow)
      if (share > 0) await take({ path, tree: id }, share, namedBelow)
    }
  }
  await take(root, filesMax, root.path)
  const sorted = await sortInSlices(
    entries,
    (one, other) => (one.path < other.path ? -1 : 1),
    pause,
  )
  return ok({ entries: sorted, cut: [...cut] })
}

const NOTHING: RawTree = { files: [], folders: [] }

/** Every tree below, by its id, from the top down. */
async function readBelow(
  directory: string,
  root: string,
  pause: Pause,
): Promise<Result<Trees, GitFailure>> {
  const trees = new Map<string, RawTree>()
  let level = [root]
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const read = await readTrees(directory, level, pause)
    if (!read.ok) return read
    const below = new Set<string>()
    for (const [id, tree] of read.value) {
      await pause()
      trees.set(id, tree)
      for (const folder of tree.folders) below.add(folder.id)
    }
    level = [...below].filter((id) => !trees.has(id)).slice(0, Math.max(0, TREES_MAX - trees.size))
  }
  return ok(trees)
}

/** Counts the files below a tree, endless where a tree was not read. */
function counterOf(trees: Trees): (tree: string) => number {
  const counts = new Map<string, number>()
  const count = (id: string, depth: number): number => {
    const known = counts.get(id)
    if (known !== undefined) return known
    const tree = trees.get(id)
    if (tree === undefined || depth > DEPTH_MAX) return Number.POSITIVE_INFINITY
    const total = tree.folders.reduce(
      (sum, folder) => sum + count(folder.id, depth + 1),
      tree.files.length,
    )
    counts.set(id, total)
    return total
  }
  return (tree) => count(tree, 0)
}
