import type { BranchName } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { ExistingOverlay } from './application.ts'
import type { Stage } from './pipeline.ts'
import { progressOf, readProgress } from './progress.ts'
import type { PullsSource } from './pulls.ts'
import type { Promotable } from './subject.ts'

/** An application in one environment. */
export interface EnvironmentState {
  readonly stage: Stage
  readonly overlay: ExistingOverlay | null
  readonly state: 'none' | 'pr_open' | 'pr_closed' | 'ready_to_confirm' | 'live'
  readonly pullRequest: number | null
}

export async function readEnvironment(
  source: PullsSource,
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
  if (progress.kind !== 'on_main') {
    return ok({ stage, overlay, state: progress.kind, pullRequest })
  }
  return ok({ stage, overlay, state: hasReached ? 'live' : 'ready_to_confirm', pullRequest })
}
