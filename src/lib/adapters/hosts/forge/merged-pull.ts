import type { ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import type { MergedCommit } from '../../../ports/git-host/commit.ts'
import { ok, type Result } from '../../../result.ts'
import { findMergeCommit, type History } from '../../../git/history.ts'
import { resolveObjects } from '../../../git/objects.ts'
import { type Pull, type PullSnapshot, tipOf } from './pulls.ts'

/** The merged pull request that a commit belongs to; any commit of its branch, which git knows here. */
export async function findMergedPull(
  directory: string,
  snapshot: PullSnapshot,
  history: History,
  { commit, base }: MergedCommit,
): Promise<Result<Pull | null, GitFailure>> {
  const merged = snapshot.pulls.filter(
    ({ record }) => record.base === base && record.state.kind === 'merged',
  )
  const named = mergedAt(merged, commit) ?? merged.find(({ head }) => head === commit)
  const tip = tipOf(snapshot, base)
  if (named !== undefined || merged.length === 0 || tip === undefined) return ok(named ?? null)

  // It was pushed, or is the merge of something else: no merge brought it.
  const line = await history.ownLine(directory, tip)
  if (!line.ok) return line
  if (line.value.has(commit)) return ok(null)
  const found = await resolveObjects(directory, [`${commit}^{commit}`])
  if (!found.ok) return found
  if (found.value[0] == null) return ok(null)
  const contained = await history.containedIn(directory, tip, [commit])
  if (!contained.ok) return contained
  if (!contained.value.has(commit)) return ok(null)
  const mergeCommit = await findMergeCommit(directory, tip, commit)
  return mergeCommit.ok ? ok(mergedAt(merged, mergeCommit.value) ?? null) : mergeCommit
}

/** A merge may end several pull requests. Somebody merged one of them, and it contains the others. */
function mergedAt(pulls: readonly Pull[], commit: ObjectId): Pull | undefined {
  const ended = pulls.flatMap((pull) => {
    const { state } = pull.record
    return state.kind === 'merged' && state.commit === commit ? [{ pull, by: state.by }] : []
  })
  return (ended.find(({ by }) => by !== null) ?? ended[0])?.pull
}
