import { type Pause, visitInSlices } from '../concurrency/time-slice.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { gitBytes, gitText, hostError } from './git.ts'
import { MODE_TREE, type TreeEntry } from './trees.ts'

/** A tree without what is below its folders. Its entries have names for paths. */
export interface RawTree {
  /** All that is no folder, in the order of the tree. */
  readonly files: readonly TreeEntry[]
  readonly folders: readonly TreeEntry[]
}

const BYTES_MAX = 32 * 1024 * 1024
const ID_BYTES = 20
const SPACE = 0x20
const LINE_FEED = 0x0a

/** Trees by their ids: the small ones first, until all together are too large. Trees that are missing are left out too. */
export async function readTrees(
  directory: string,
  ids: readonly string[],
  pause: Pause,
): Promise<Result<ReadonlyMap<string, RawTree>, GitFailure>> {
  const trees = new Map<string, RawTree>()
  const readable = await fittingTrees(directory, ids)
  if (!readable.ok) return readable
  if (readable.value.length === 0) return ok(trees)
  const args = ['cat-file', '--batch', '--buffer']
  const output = await gitBytes(directory, args, { input: lines(readable.value) })
  if (!output.ok) return output
  const bytes = output.value
  for (let start = 0; start < bytes.length;) {
    const headerEnd = bytes.indexOf(LINE_FEED, start)
    const [id = '', type, size] = bytes.toString('latin1', start, headerEnd).split(' ')
    const end = headerEnd + 1 + Number(size)
    if (headerEnd < 0 || type !== 'tree' || !(end < bytes.length)) {
      return err(hostError(`git cat-file: the tree ${id} cannot be read`))
    }
    const files: TreeEntry[] = []
    const folders: TreeEntry[] = []
    await visitInSlices(entriesIn(bytes.subarray(headerEnd + 1, end)), pause, (entry) => {
      ;(entry.mode === MODE_TREE ? folders : files).push(entry)
    })
    await pause()
    trees.set(id, { files, folders })
    start = end + 1
  }
  return ok(trees)
}

async function fittingTrees(
  directory: string,
  ids: readonly string[],
): Promise<Result<readonly string[], GitFailure>> {
  const args = ['cat-file', '--buffer', '--batch-check=%(objectname) %(objecttype) %(objectsize)']
  const checked = await gitText(directory, args, { input: lines(ids) })
  if (!checked.ok) return checked
  const trees = checked.value
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, type]) => type === 'tree')
    .map(([id = '', , size]) => ({ id, bytes: Number(size) }))
    .toSorted((one, other) => one.bytes - other.bytes)
  let total = 0
  return ok(trees.filter(({ bytes }) => (total += bytes) <= BYTES_MAX).map(({ id }) => id))
}

const lines = (ids: readonly string[]) => new Blob([ids.join('\n'), '\n'])

/** An entry is its mode, a space, its name, NUL, and the bytes of its id. */
function* entriesIn(tree: Buffer): Generator<TreeEntry, void, void> {
  for (let start = 0; start < tree.length;) {
    const space = tree.indexOf(SPACE, start)
    const nameEnd = tree.indexOf(0, space)
    const end = nameEnd + 1 + ID_BYTES
    yield {
      // `ls-tree` writes a zero before the mode of a tree.
      mode: tree.toString('latin1', start, space).padStart(6, '0'),
      path: tree.toString('utf8', space + 1, nameEnd),
      id: tree.toString('hex', nameEnd + 1, end),
      sizeBytes: null,
    }
    start = end
  }
}
