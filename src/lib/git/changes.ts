import { createTimeSlice } from '../concurrency/time-slice.ts'
import type { ChangedPath, GitAnswer, TreeChange } from '../ports/git-host.ts'
import { ok } from '../result.ts'
import { gitText } from './git.ts'
import { missingCommitOr } from './log.ts'

const CHANGES: Readonly<Record<string, ChangedPath['change']>> = { A: 'added', D: 'removed' }

export async function listChanges(
  directory: string,
  { from, to, directory: folder }: TreeChange,
): GitAnswer<readonly ChangedPath[]> {
  const options = ['-r', '-z', '--no-renames', '--name-status']
  const paths = folder === undefined ? [] : [folder]
  const text = await gitText(directory, ['diff-tree', ...options, from, to, '--', ...paths])
  if (!text.ok) return missingCommitOr(text, directory, [from, to])
  // A letter, then its path.
  const fields = text.value.split('\0')
  const changes: ChangedPath[] = []
  const pause = createTimeSlice()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    await pause()
    const [letter = '', rawPath = ''] = fields.slice(at, at + 2)
    changes.push({ rawPath, change: CHANGES[letter] ?? 'modified' })
  }
  return ok(changes)
}
