import { ObjectId, RepositoryPath } from '../names.ts'
import type { GitFailure, ListedFile, SkippedFile } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { createTimeSlice, visitInSlices } from '../concurrency/time-slice.ts'
import { complaintOf, type GitOutput, hostError, OUTPUT_BYTES_MAX, runGit } from './git.ts'

/** A line of `git ls-tree`; the mode in octal digits. */
export interface TreeEntry {
  readonly mode: string
  readonly id: string
  readonly path: string
  /** Size of a blob; `null` for other objects, for a missing blob, and in a listing without sizes. */
  readonly sizeBytes: number | null
}

export const MODE_TREE = '040000'

export function toItem({
  mode,
  id,
  path: rawPath,
  sizeBytes,
}: TreeEntry): ListedFile | SkippedFile {
  if (mode === '120000') return { rawPath, reason: 'symbolic_link' }
  if (mode === '160000') return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  const blob = ObjectId.parse(id)
  if (path === undefined || blob === undefined) return { rawPath, reason: 'unsafe_path' }
  return { path, blob, executable: mode === '100755', ...(sizeBytes !== null && { sizeBytes }) }
}

/** `selection`: options, a tree and paths of `git ls-tree`. */
export async function listTree(
  directory: string,
  selection: readonly string[],
): Promise<Result<readonly TreeEntry[], GitFailure>> {
  const entries = await listTreeWithin(directory, selection, OUTPUT_BYTES_MAX)
  if (!entries.ok) return entries
  return entries.value === null ? err(hostError('git ls-tree: too much output')) : ok(entries.value)
}

/** The same; `null`: the output is longer than `outputBytesMax`. */
export async function listTreeWithin(
  directory: string,
  selection: readonly string[],
  outputBytesMax: number,
): Promise<Result<readonly TreeEntry[] | null, GitFailure>> {
  const output = await lsTree(directory, selection, outputBytesMax)
  if (!output.ok) return output
  return output.value.isTruncated ? ok(null) : entriesIn(output.value.stdout)
}

/** The same; of a longer output the entries at its start. */
export async function listTreeStart(
  directory: string,
  selection: readonly string[],
  outputBytesMax: number,
): Promise<Result<TreeStart, GitFailure>> {
  const output = await lsTree(directory, selection, outputBytesMax)
  if (!output.ok) return output
  const entries = await entriesIn(output.value.stdout)
  return entries.ok ? ok({ entries: entries.value, isCut: output.value.isTruncated }) : entries
}

interface TreeStart {
  readonly entries: readonly TreeEntry[]
  readonly isCut: boolean
}

async function lsTree(
  directory: string,
  selection: readonly string[],
  outputBytesMax: number,
): Promise<Result<GitOutput, GitFailure>> {
  const args = ['ls-tree', '-z', '--full-tree', ...selection]
  const output = await runGit(directory, args, { outputBytesMax })
  if (!output.ok) return output
  const { code, isTruncated } = output.value
  return code === 0 || isTruncated ? output : err(complaintOf(args, output.value))
}

async function entriesIn(stdout: Buffer): Promise<Result<readonly TreeEntry[], GitFailure>> {
  const entries: TreeEntry[] = []
  let fault: string | undefined
  await visitInSlices(recordsOf(stdout), createTimeSlice(), (record) => {
    const tab = record.indexOf('\t')
    const [mode, type, id] = record.slice(0, tab).split(' ', 3)
    if (mode === undefined || type === undefined || id === undefined) {
      fault ??= record
      return
    }
    const size = record.slice(mode.length + type.length + id.length + 2, tab)
    entries.push({ mode, id, path: record.slice(tab + 1), sizeBytes: sizeIn(size) })
  })
  return fault === undefined ? ok(entries) : err(hostError(`git ls-tree answered ${fault}`))
}

/** Padded with spaces. Git writes `-` for what is no blob, and `BAD` for a blob that is missing. */
function sizeIn(text: string): number | null {
  const size = Number.parseInt(text, 10)
  return Number.isSafeInteger(size) ? size : null
}

/** Decoded one by one: a slice of the whole text would keep the whole text in memory. */
function* recordsOf(bytes: Buffer): Generator<string, void, void> {
  for (let start = 0, end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
    yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}
