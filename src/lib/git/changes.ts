import type { ChangedPath, GitFailure, TreeChange } from '../ports/git-host.ts'
import { ok, type Result } from '../result.ts'
import { gitText } from './git.ts'
import { missingCommitOr } from './log.ts'

const CHANGES: Readonly<Record<string, ChangedPath['change']>> = { A: 'added', D: 'removed' }

/** `--name-status -z`: a letter, then its path. */
export async function listChanges(
  directory: string,
  { from, to, directory: folder }: TreeChange,
): Promise<Result<readonly ChangedPath[], GitFailure>> {
  const options = ['-r', '-z', '--no-renames', '--name-status']
  const paths = folder === undefined ? [] : [folder]
  const text = await gitText(directory, ['diff-tree', ...options, from, to, '--', ...paths])
  if (!text.ok) return missingCommitOr(text, directory, [from, to])
  const fields = text.value.split('\0')
  const changes: ChangedPath[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [letter = '', rawPath = ''] = fields.slice(at, at + 2)
    changes.push({ rawPath, change: CHANGES[letter] ?? 'modified' })
  }
  return ok(changes)
}
