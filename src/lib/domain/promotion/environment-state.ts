import type { BranchName } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Applications, ExistingOverlay } from './application.ts'
import { type EnvironmentPhase, phaseOf } from './decide.ts'
import type { Stage } from './pipeline.ts'
import { openPull, progressOf, readProgress } from './progress.ts'
import type { PullsSource } from './pulls.ts'
import type { Promotable } from './subject.ts'

/** An application in one environment. */
export interface EnvironmentState {
  readonly stage: Stage
  readonly overlay: ExistingOverlay | null
  readonly state: EnvironmentPhase
  readonly pullRequest: number | null
  /** The overlay as its open pull request has it. */
  readonly proposed: ProposedOverlay | null
}

interface ProposedOverlay {
  /** `null` if the branch has no overlay that can be read. */
  readonly overlay: ExistingOverlay | null
  readonly pullRequest: number
}

export interface EnvironmentSource extends PullsSource {
  readonly applications: Applications
}

export async function readEnvironment(
  source: EnvironmentSource,
  base: BranchName,
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
    ? await readProgress(source, base, promotable, stage)
    : ok(progressOf(promotable, stage))
  if (!read.ok) return read
  const progress = read.value
  const pullRequest = 'pullRequest' in progress ? progress.pullRequest : null
  const proposed = await readProposed(source, promotable, stage)
  if (!proposed.ok) return proposed
  const state = phaseOf(pipeline, lifecycle, stage, progress)
  return ok({ stage, overlay, state, pullRequest, proposed: proposed.value })
}

/** Cached like every application: a commit does not change. */
async function readProposed(
  { applications }: EnvironmentSource,
  { pulls, team, app }: Promotable,
  stage: Stage,
): Promise<Result<ProposedOverlay | null, GitFailure>> {
  const open = openPull(pulls, stage)
  if (open === undefined) return ok(null)
  const { number: pullRequest, head } = open.pull
  const read = await applications.read(head.commit, team, app)
  if (read.ok) return ok({ overlay: read.value.overlays.get(stage) ?? null, pullRequest })
  // The host is about to close the pull request of a branch that was deleted.
  return read.error.kind === 'git_not_found' ? ok({ overlay: null, pullRequest }) : read
}
