import { ObjectId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, ListedFile, SkippedFile } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import { complaintOf, hostError, tryStart } from './git.ts'

/** What is at a path: in octal digits what kind of file, and its object. */
export interface Entry {
  readonly mode: string
  readonly id: string
  readonly path: string
}

export const MODE_TREE = '040000'
/** Git's mode for what was deleted. */
export const MODE_DELETED = '000000'

export function toItem({ mode, id, path: rawPath }: Entry): ListedFile | SkippedFile {
  if (mode === '120000') return { rawPath, reason: 'symbolic_link' }
  if (mode === '160000') return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  const blob = ObjectId.parse(id)
  if (path === undefined || blob === undefined) return { rawPath, reason: 'unsafe_path' }
  return { path, blob, executable: mode === '100755' }
}

/** `what`: options, a tree and paths of `git ls-tree`. */
export async function* listTree(
  directory: string,
  what: readonly string[],
): AsyncGenerator<Result<readonly Entry[], GitFailure>, void, void> {
  for await (const records of recordsOf(directory, ['ls-tree', '-z', '--full-tree', ...what])) {
    if (!records.ok) return yield records
    const entries: Entry[] = []
    for (const record of records.value) {
      const entry = parseEntry(record)
      if (entry === undefined) return yield err(hostError(`git ls-tree answered ${record}`))
      entries.push(entry)
    }
    yield ok(entries)
  }
}

/** What differs between two trees: each path as it is in `to`, or with `MODE_DELETED` when only `from` has it. */
export async function* diffTrees(
  directory: string,
  from: ObjectId,
  to: ObjectId,
): AsyncGenerator<Result<readonly Entry[], GitFailure>, void, void> {
  // Of each change first what, and then where.
  let change: string | undefined
  for await (const records of recordsOf(directory, ['diff-tree', '-z', '-r', from, to])) {
    if (!records.ok) return yield records
    const entries: Entry[] = []
    for (const record of records.value) {
      if (change === undefined) {
        change = record
        continue
      }
      const [, mode, , id] = change.split(' ')
      if (mode === undefined || id === undefined) {
        return yield err(hostError(`git diff-tree answered ${change}`))
      }
      entries.push({ mode, id: copyOf(id), path: copyOf(record) })
      change = undefined
    }
    yield ok(entries)
  }
  if (change !== undefined) yield err(hostError('git diff-tree ended in the middle of a change'))
}

/** A part of a string keeps all of it: of a file that stays, everything git answered when it came. */
const copyOf = (part: string): string => Buffer.from(part).toString()

/**
 * Git's answer, cut at NUL. In portions, as it comes: a turn of the event loop for each of ten thousand records would cost
 * more than reading them.
 */
async function* recordsOf(
  directory: string,
  args: readonly string[],
): AsyncGenerator<Result<readonly string[], GitFailure>, void, void> {
  const running = tryStart([`--git-dir=${directory}`, ...args], 'ignore')
  if (!running.ok) return yield running
  const { child, complaint, ranOutOfTime, stop } = running.value
  try {
    const pause = createTimeSlice()
    const decoder = new TextDecoder()
    let rest = ''
    for await (const part of child.stdout) {
      const records = (rest + decoder.decode(part, { stream: true })).split('\0')
      rest = records.pop() ?? ''
      yield ok(records)
      await pause()
    }
    rest += decoder.decode()
    const [code, stderr] = await Promise.all([child.exited, complaint])
    if (ranOutOfTime()) return yield err({ kind: 'git_host_timeout' })
    if (code !== 0 || rest !== '') yield err(complaintOf(args, { code, stderr }))
  } finally {
    stop()
  }
}

function parseEntry(line: string): Entry | undefined {
  const tab = line.indexOf('\t')
  const [mode, , id] = line.slice(0, tab).split(' ')
  if (mode === undefined || id === undefined) return
  return { mode, id, path: line.slice(tab + 1) }
}
