import type { ObjectId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { readChangedFiles, readDiff } from '../diff.ts'
import { complaintOf, runGit } from '../git.ts'
import { missingCommitOr } from '../log.ts'
import { idFrom } from '../objects.ts'
import type { Changes } from './index.ts'

/** Git knows it in every repository. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export async function readChanges(
  directory: string,
  { from, to }: { readonly from: ObjectId | null; readonly to: ObjectId },
): Promise<Result<Changes, GitFailure>> {
  const range = `${from ?? EMPTY_TREE}..${to}`
  const [files, diff] = await Promise.all([
    readChangedFiles(directory, range),
    readDiff(directory, range),
  ])
  const commits = from === null ? [to] : [from, to]
  if (!files.ok) return missingCommitOr(files, directory, commits)
  if (!diff.ok) return missingCommitOr(diff, directory, commits)
  return ok({ files: files.value, diff: diff.value })
}

export async function compareCommits(
  directory: string,
  { base, head }: { readonly base: ObjectId; readonly head: ObjectId },
): Promise<Result<Changes, GitFailure>> {
  const from = await mergeBaseOf(directory, base, head)
  return from.ok ? readChanges(directory, { from: from.value, to: head }) : from
}

/** The last commit that two commits have in common. `null`: their histories have nothing in common. */
async function mergeBaseOf(
  directory: string,
  base: ObjectId,
  head: ObjectId,
): Promise<Result<ObjectId | null, GitFailure>> {
  const args = ['merge-base', base, head]
  const output = await runGit(directory, args)
  if (!output.ok) return output
  const { code, stdout } = output.value
  if (code === 1) return ok(null)
  if (code === 0) return idFrom(ok(stdout.toString()))
  return missingCommitOr(err(complaintOf(args, output.value)), directory, [base, head])
}
