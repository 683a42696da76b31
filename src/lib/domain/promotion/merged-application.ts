import { createLru } from '../../concurrency/lru.ts'
import type { ObjectId, RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost, MergeSides } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Application, Applications } from './application.ts'
import type { ApplicationId } from '../gitops/layout.ts'

const CONFLICTS_MAX = 2_000

export type MergedApplications = ReturnType<typeof createMergedApplications>

/**
 * Applications as merges of open branches into the default branch would leave them; `null` for a branch that conflicts. Kept for as long as
 * the default branch has the same application (`onMain`): other pushes do not change the outcome, unless they conflict themselves.
 */
export function createMergedApplications(
  gitHost: Pick<GitHost, 'merge'>,
  repository: RepositoryId,
  applications: Applications,
) {
  const clean = new WeakMap<Application, Map<ObjectId, Application>>()
  const conflicting = createLru<string, true>(CONFLICTS_MAX)

  return async (
    sides: MergeSides,
    { team, app }: ApplicationId,
    onMain: Application,
  ): Promise<Result<Application | null, GitFailure>> => {
    const { ours, theirs } = sides
    const known = clean.get(onMain)?.get(theirs)
    if (known !== undefined) return ok(known)
    const pair = `${ours} ${theirs}`
    if (conflicting.has(pair)) return ok(null)
    const merged = await gitHost.merge(repository, sides)
    if (!merged.ok) return merged
    if (merged.value.kind === 'conflicting') {
      conflicting.set(pair, true)
      return ok(null)
    }
    const read = await applications.read(ours, team, app, merged.value.tree)
    if (!read.ok) return read
    const ofMain = clean.get(onMain) ?? new Map<ObjectId, Application>()
    clean.set(onMain, ofMain.set(theirs, read.value))
    return read
  }
}
