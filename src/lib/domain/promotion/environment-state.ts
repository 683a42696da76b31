import type { GitFailure, Head } from '../../ports/git-host.ts'
import type { ObjectId } from '../../names.ts'
import { ok, type Result } from '../../result.ts'
import type { Applications, ExistingOverlay } from './application.ts'
import type { Beginnings } from './beginning.ts'
import { type EnvironmentPhase, phaseOf } from './decide.ts'
import type { Stage } from './pipeline.ts'
import { openPull, progressOf, readProgress } from './progress.ts'
import { proposedOverlay } from './proposed-overlay.ts'
import type { PullsSource } from './pulls.ts'
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

export interface EnvironmentSource extends PullsSource {
  readonly applications: Applications
  readonly beginnings: Beginnings
}

export async function readEnvironment(
  source: EnvironmentSource,
  base: Head,
  promotable: Promotable,
  stage: Stage,
): Promise<Result<EnvironmentState, GitFailure>> {
  const { pipeline } = source
  const { lifecycle, application } = promotable
  const overlay = application.overlays.get(stage) ?? null
  const hasReached = pipeline.hasReached(lifecycle, stage)
  // Beyond the next stage nothing was proposed that could have been closed.
  const isDue = hasReached || stage === pipeline.stageAfter(lifecycle)
  const read = isDue
    ? await readProgress(source, base.branch, promotable, stage)
    : ok(progressOf(promotable, stage))
  if (!read.ok) return read
  const progress = read.value
  const pullRequest = 'pullRequest' in progress ? progress.pullRequest : null
  const proposed = await readProposed(source, base, promotable, stage)
  if (!proposed.ok) return proposed
  const state = phaseOf(pipeline, lifecycle, stage, progress)
  return ok({ stage, overlay, state, pullRequest, proposed: proposed.value })
}

async function readProposed(
  source: EnvironmentSource,
  base: Head,
  promotable: Promotable,
  stage: Stage,
): Promise<Result<ProposedOverlay | null, GitFailure>> {
  const open = openPull(promotable.pulls, stage)
  if (open === undefined) return ok(null)
  const overlay = await overlayAfter(source, base, promotable, stage, open.pull.head.commit)
  if (overlay.ok) return ok({ overlay: overlay.value, pullRequest: open.pull.number })
  // The host is about to close the pull request of a branch that was deleted.
  return overlay.error.kind === 'git_not_found'
    ? ok({ overlay: null, pullRequest: open.pull.number })
    : overlay
}

/** The overlay after a merge. Cached like every application: a commit does not change. */
async function overlayAfter(
  { applications, beginnings }: EnvironmentSource,
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
  const beginning = await beginnings(head, base.commit)
  if (!beginning.ok) return beginning
  if (beginning.value === undefined || beginning.value === base.commit) return ok(branch)
  const before = await applications.read(beginning.value, team, app)
  if (!before.ok) return before
  const began = before.value.overlays.get(stage)
  return ok(began === undefined ? branch : proposedOverlay({ branch, began, live }))
}
