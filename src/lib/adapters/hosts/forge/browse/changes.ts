import type { ObjectId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import { diffRange, diffRangeSince, readChangedFiles, readDiff } from '../diff.ts'
import { missingCommitOr } from '../../../../git/log.ts'
import type { Changes } from './index.ts'

export async function readChanges(
  directory: string,
  { from, to }: { readonly from: ObjectId | null; readonly to: ObjectId },
): Promise<Result<Changes, GitFailure>> {
  const changes = await changesIn(directory, diffRange(from, to))
  return changes.ok
    ? changes
    : missingCommitOr(changes, directory, from === null ? [to] : [from, to])
}

export async function compareCommits(
  directory: string,
  { base, head }: { readonly base: ObjectId; readonly head: ObjectId },
): Promise<Result<Changes, GitFailure>> {
  const range = await diffRangeSince(directory, { from: base, to: head })
  return range.ok
    ? changesIn(directory, range.value)
    : missingCommitOr(range, directory, [base, head])
}

async function changesIn(directory: string, range: string): Promise<Result<Changes, GitFailure>> {
  const [files, diff] = await Promise.all([
    readChangedFiles(directory, range),
    readDiff(directory, range),
  ])
  if (!files.ok) return files
  return diff.ok ? ok({ files: files.value, diff: diff.value }) : diff
}
