import { ObjectId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, ListedFile, SkippedFile } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import { gitBytes, hostError } from './git.ts'

/** A line of `git ls-tree`; the mode in octal digits. */
export interface TreeEntry {
  readonly mode: string
  readonly id: string
  readonly path: string
}

export const MODE_TREE = '040000'

export function toItem({ mode, id, path: rawPath }: TreeEntry): ListedFile | SkippedFile {
  if (mode === '120000') return { rawPath, reason: 'symbolic_link' }
  if (mode === '160000') return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  const blob = ObjectId.parse(id)
  if (path === undefined || blob === undefined) return { rawPath, reason: 'unsafe_path' }
  return { path, blob, executable: mode === '100755' }
}

/** `selection`: options, a tree and paths of `git ls-tree`. */
export async function listTree(
  directory: string,
  selection: readonly string[],
): Promise<Result<readonly TreeEntry[], GitFailure>> {
  const stdout = await gitBytes(directory, ['ls-tree', '-z', '--full-tree', ...selection])
  if (!stdout.ok) return stdout
  const entries: TreeEntry[] = []
  let fault: string | undefined
  await visitInSlices(recordsOf(stdout.value), createTimeSlice(), (record) => {
    const tab = record.indexOf('\t')
    const [mode, , id] = record.slice(0, tab).split(' ')
    if (mode === undefined || id === undefined) fault ??= record
    else entries.push({ mode, id, path: record.slice(tab + 1) })
  })
  return fault === undefined ? ok(entries) : err(hostError(`git ls-tree answered ${fault}`))
}

/** Decoded one by one: a slice of the whole text would keep the whole text in memory. */
function* recordsOf(bytes: Buffer): Generator<string, void, void> {
  for (let start = 0, end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
    yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}
