import type { ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice } from '../../../time-slice.ts'
import { complaintOf, hostError, tryStart } from './git.ts'

/** What is at a path: in octal digits what kind of file, and its object. */
export interface Entry {
  readonly mode: string
  readonly id: string
  readonly path: string
}

export interface TreeEntry extends Entry {
  readonly type: string
}

/** Of a path that has no entry any more. */
export const NO_MODE = '000000'

export async function* listTree(
  directory: string,
  what: readonly string[],
): AsyncGenerator<Result<readonly TreeEntry[], GitFailure>, void, void> {
  for await (const records of recordsOf(directory, ['ls-tree', '-z', '--full-tree', ...what])) {
    if (!records.ok) return yield records
    const entries: TreeEntry[] = []
    for (const record of records.value) {
      const entry = parseEntry(record)
      if (entry === undefined) return yield err(hostError(`git ls-tree answered ${record}`))
      entries.push(entry)
    }
    yield ok(entries)
  }
}

/**
 * What is at paths that are not the same in both trees: in `to`, and with `NO_MODE` when it is only in `from`. `prefix` is
 * where the trees lie.
 */
export async function* diffTrees(
  directory: string,
  from: ObjectId,
  to: string,
  prefix: string,
): AsyncGenerator<Result<readonly Entry[], GitFailure>, void, void> {
  const args = ['diff-tree', '-z', '-r', '--no-renames', from, to]
  let change: string | undefined
  for await (const records of recordsOf(directory, args)) {
    if (!records.ok) return yield records
    const entries: Entry[] = []
    for (const record of records.value) {
      if (change === undefined) {
        change = record
        continue
      }
      const [, mode, , id] = change.split(' ')
      if (mode === undefined || id === undefined)
        return yield err(hostError(`git diff-tree answered ${change}`))
      entries.push({ mode, id, path: `${prefix}${record}` })
      change = undefined
    }
    yield ok(entries)
  }
  if (change !== undefined) yield err(hostError('git diff-tree answered no path'))
}

/** What git ends with NUL. In portions, as git tells it: a turn for each of ten thousand would cost more than reading them. */
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

function parseEntry(line: string): TreeEntry | undefined {
  const tab = line.indexOf('\t')
  const [mode, type, id] = line.slice(0, tab).split(' ')
  if (mode === undefined || type === undefined || id === undefined) return
  return { mode, type, id, path: line.slice(tab + 1) }
}
