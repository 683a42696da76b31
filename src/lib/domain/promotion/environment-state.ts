import type { GitFailure, Head } from '../../ports/git-host.ts'
import type { ObjectId } from '../../names.ts'
import { ok, type Result } from '../../result.ts'
import type { ExistingOverlay } from './application.ts'
import { type EnvironmentPhase, phaseOf } from './decide.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Stage } from './pipeline.ts'
import { progressOf, readProgress } from './progress.ts'
import { openPull } from './pulls.ts'
import type { Promotable } from './subject.ts'

/** An application in one environment. */
export interface EnvironmentState {
  readonly stage: Stage
  readonly overlay: ExistingOverlay | null
  readonly state: EnvironmentPhase
  readonly pullRequest: number | null
  /** The overlay as a merge of its open pull request would leave it. */
  readonly proposed: ProposedOverlay | null
}

interface ProposedOverlay {
  /** `null` if the branch has no overlay that can be read. */
  readonly overlay: ExistingOverlay | null
  readonly pullRequest: number
}

export async function readEnvironment(
  deps: PromotionDeps,
  base: Head,
  promotable: Promotable,
  stage: Stage,
): Promise<Result<EnvironmentState, GitFailure>> {
  const { pipeline } = deps
  const { lifecycle, application } = promotable
  const overlay = application.overlays.get(stage) ?? null
  const hasReached = pipeline.hasReached(lifecycle, stage)
  // Beyond the next stage nothing was proposed that could have been closed.
  const isDue = hasReached || stage === pipeline.stageAfter(lifecycle)
  const read = isDue
    ? await readProgress(deps, base.branch, promotable, stage)
    : ok(progressOf(promotable, stage))
  if (!read.ok) return read
  const progress = read.value
  const pullRequest = 'pullRequest' in progress ? progress.pullRequest : null
  const proposed = await readProposed(deps, base, promotable, stage)
  if (!proposed.ok) return proposed
  const state = phaseOf(pipeline, lifecycle, stage, progress)
  return ok({ stage, overlay, state, pullRequest, proposed: proposed.value })
}

async function readProposed(
  deps: PromotionDeps,
  base: Head,
  promotable: Promotable,
  stage: Stage,
): Promise<Result<ProposedOverlay | null, GitFailure>> {
  const open = openPull(promotable.pulls, stage)
  if (open === undefined) return ok(null)
  const overlay = await overlayAfter(deps, base, promotable, stage, open.head.commit)
  if (overlay.ok) return ok({ overlay: overlay.value, pullRequest: open.number })
  // The host is about to close the pull request of a branch that was deleted.
  return overlay.error.kind === 'git_not_found'
    ? ok({ overlay: null, pullRequest: open.number })
    : overlay
}

/** The overlay after a merge; where the branch conflicts, as the branch has it. */
async function overlayAfter(
  { applications, merges }: PromotionDeps,
  base: Head,
  { team, app, application }: Promotable,
  stage: Stage,
  head: ObjectId,
): Promise<Result<ExistingOverlay | null, GitFailure>> {
  const read = await applications.read(head, team, app)
  if (!read.ok) return read
  const branch = read.value.overlays.get(stage) ?? null
  const live = application.overlays.get(stage)
  if (branch === null || live === undefined) return ok(branch)
  const merged = await merges({ ours: base.commit, theirs: head }, { team, app }, application)
  if (!merged.ok) return merged
  return ok(merged.value === null ? branch : (merged.value.overlays.get(stage) ?? null))
}
