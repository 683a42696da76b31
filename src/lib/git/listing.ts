import { createTimeSlice, type Pause, visitInSlices } from '../concurrency/time-slice.ts'
import { fairShares } from '../fair-shares.ts'
import { ObjectId } from '../names.ts'
import type {
  DirectoryAtCommit,
  FileListing,
  GitAnswer,
  ListedFile,
  SkippedFile,
} from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { gitOutput, hostError } from './git.ts'
import {
  findEntries,
  isFolder,
  pathIn,
  readTrees,
  sizesOf,
  toItem,
  type TreeEntry,
  type Trees,
} from './trees.ts'

/** Default bound of a listing. More files are a failure. */
const FILES_MAX = 500_000
/** Bounds of the walk. A deeper tree, or one too many, counts as endless. */
const DEPTH_MAX = 64
const TREES_MAX = 100_000
/** A tree takes about six times as much memory once it is read. 500,000 files with usual names are about half of these bytes. */
const TREE_BYTES_MAX = 64 * 1024 * 1024
/** For each file of a listing at once, with its share of the folders around it. Usual lines have a hundred bytes. */
const LINE_BYTES_MAX = 1024

export async function listFiles(
  directory: string,
  { commit, tree: root = commit, directory: given, filesMax }: DirectoryAtCommit,
): GitAnswer<FileListing> {
  const folder = given ?? ''
  const found = await findEntries(directory, commit, [folder], root)
  if (!found.ok) return found
  const top = found.value.get(folder)
  const tree = ObjectId.parse(top?.id)
  if (top === undefined || tree === undefined || !isFolder(top)) {
    return ok({ tree: null, files: [], skipped: [] })
  }
  if (filesMax === 0) return ok({ tree, files: [], skipped: [] })
  const pause = createTimeSlice()
  const bound = filesMax ?? FILES_MAX
  const whole = await listAtOnce(directory, top, bound, pause)
  const listed = whole === null ? await listWithin(directory, top, bound, pause) : ok(whole)
  if (!listed.ok) return listed
  const { entries, cut } = listed.value
  const missing = [...cut].map((rawPath) => ({ rawPath, reason: 'too_many_files' }) as const)
  if (missing[0] !== undefined && filesMax === undefined) {
    return err(hostError(`'${missing[0].rawPath}' has too many files, or an unreadable tree`))
  }
  const sizes = whole === null ? await sizesOf(directory, entries) : ok(whole.sizes)
  if (!sizes.ok) return sizes
  const files: ListedFile[] = []
  const skipped: SkippedFile[] = []
  await visitInSlices(entries.entries(), pause, ([index, entry]) => {
    const item = toItem(entry, sizes.value[index])
    if ('reason' in item) skipped.push(item)
    else files.push(item)
  })
  return ok({ tree, files, skipped: [...skipped, ...missing] })
}

interface Listed {
  readonly entries: readonly TreeEntry[]
  /** Folders that are not listed whole. */
  readonly cut: ReadonlySet<string>
}

/**
 * All files below a folder, by a program that walks trees ten times as fast. `null`: they are beyond a bound of the walk, or a tree cannot
 * be read, and the walk tells where.
 */
async function listAtOnce(
  directory: string,
  root: TreeEntry,
  filesMax: number,
  pause: Pause,
): Promise<(Listed & { readonly sizes: readonly (number | null)[] }) | null> {
  const listed = await gitOutput(directory, ['ls-tree', '-r', '-t', '-z', '--long', root.id], {
    outputBytesMax: Math.min(TREE_BYTES_MAX, filesMax * LINE_BYTES_MAX),
  })
  if (!listed.ok) return null
  const entries: TreeEntry[] = []
  const sizes: (number | null)[] = []
  let [trees, depth] = [1, 0]
  await visitInSlices(linesOf(listed.value.stdout), pause, (line) => {
    const tab = line.indexOf('\t')
    const idAt = line.indexOf(' ', MODE_LENGTH + 1) + 1
    const sizeAt = idAt + ID_LENGTH
    const [mode, id] = [line.slice(0, MODE_LENGTH), line.slice(idAt, sizeAt)]
    const name = line.slice(tab + 1)
    const entry = { mode, id, path: pathIn(root.path, name) }
    if (isFolder(entry)) {
      trees += 1
      depth = Math.max(depth, name.split('/').length)
      return
    }
    const size = Number.parseInt(line.slice(sizeAt, tab), 10)
    entries.push(entry)
    sizes.push(Number.isNaN(size) ? null : size)
  })
  if (entries.length > filesMax || trees > TREES_MAX || depth >= DEPTH_MAX) return null
  return { entries, sizes, cut: new Set() }
}

const MODE_LENGTH = 6
const ID_LENGTH = 40

/** `<mode> <type> <id> <size>\t<path>`, with a NUL behind it. */
function* linesOf(bytes: Buffer): Generator<string, void, void> {
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(0, start)
    yield bytes.toString('utf8', start, end)
  }
}

/**
 * The files below a folder, at most `filesMax`. Eight small trees can be a hundred million paths, so each tree is read and counted
 * once, however often it occurs. The places are shared fairly among the folders of each level: a huge folder loses files, and its
 * neighbours lose none.
 */
async function listWithin(
  directory: string,
  root: TreeEntry,
  filesMax: number,
  pause: Pause,
): GitAnswer<Listed> {
  const trees = await readBelow(directory, root.id, pause)
  if (!trees.ok) return trees
  const byId = trees.value
  if (!byId.has(root.id)) return err(hostError(`the tree ${root.id} cannot be read`))
  const countBelow = counterOf(byId)
  const entries: TreeEntry[] = []
  const cut = new Set<string>()

  /** `named`: the folder that is named when files are missing. */
  async function take(folder: TreeEntry, places: number, named: string): Promise<void> {
    const tree = byId.get(folder.id) ?? []
    const folders = tree.filter(isFolder)
    const demands = [tree.length - folders.length, ...folders.map(({ id }) => countBelow(id))]
    const [ofFiles = 0, ...ofFolders] = fairShares(demands, places)
    let [filesLeft, next] = [ofFiles, 0]
    if (ofFiles < tree.length - folders.length) cut.add(named)
    // Depth first in the order of the trees: that is the byte order of the paths.
    for (const entry of tree) {
      // For each entry: very many small folders take as long as a large one. Waiting for nothing costs more than the rest.
      const turn = pause()
      if (turn !== undefined) await turn
      const path = pathIn(folder.path, entry.path)
      if (!isFolder(entry)) {
        if (filesLeft-- > 0) entries.push({ ...entry, path })
        continue
      }
      const share = ofFolders[next++] ?? 0
      const namedBelow = folder === root ? path : named
      if (share < (demands[next] ?? 0)) cut.add(namedBelow)
      if (share > 0) await take({ ...entry, path }, share, namedBelow)
    }
  }
  await take(root, filesMax, root.path)
  return ok({ entries, cut })
}

/** Every tree below one and itself, by its id, from the top down. */
async function readBelow(directory: string, root: string, pause: Pause): GitAnswer<Trees> {
  const trees = new Map<string, readonly TreeEntry[]>()
  let bytesLeft = TREE_BYTES_MAX
  let level = [root]
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const read = await readTrees(directory, level, pause, bytesLeft)
    if (!read.ok) return read
    bytesLeft = read.value.bytesLeft
    const below = new Set<string>()
    for (const [id, tree] of read.value.trees) {
      await pause()
      trees.set(id, tree)
      for (const folder of tree.filter(isFolder)) below.add(folder.id)
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
    const total = tree.reduce(
      (sum, entry) => sum + (isFolder(entry) ? count(entry.id, depth + 1) : 1),
      0,
    )
    counts.set(id, total)
    return total
  }
  return (tree) => count(tree, 0)
}
