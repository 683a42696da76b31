import type { ObjectId } from '../../names.ts'
import type { GitFailure, Head } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { creatorOf } from '../gitops/requesters.ts'
import { ABSENT, type Application, type ExistingOverlay } from './application.ts'
import { type EnvironmentPhase, phaseOf } from './decide.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Deployments, History } from './history/history.ts'
import { DEPRECATED, type Lifecycle, type Pipeline, type Stage } from './pipeline.ts'
import { progressOf, readProgress } from './progress.ts'
import { type AskedPullRequest, openPull } from './pulls.ts'
import type { Promotable, Subject } from './subject.ts'

/** The state of an application in every environment, as it is for everybody. */
export interface StateFacts {
  readonly subject: Subject
  readonly lifecycle: string | null
  /** By environment. */
  readonly imageTags: Readonly<Record<string, string | null>>
  readonly environments: readonly EnvironmentState[]
  /** The newest changes of the overlays on the default branch, as far as the git host answered in time. */
  readonly deployments: Deployments
  /** Only open ones. */
  readonly pullRequests: readonly AskedPullRequest[]
  /** Neither deprecated, nor without what a deprecation needs. */
  readonly canDeprecate: boolean
  readonly confirm: ConfirmState
  readonly drift: readonly Drift[]
}

export interface ConfirmState {
  readonly available: boolean
  readonly targetLifecycle: string | null
  readonly reason: string | null
  readonly pullRequest: number | null
}

export interface Drift {
  readonly code: 'lifecycle_behind_overlay' | 'lifecycle_ahead_of_overlay'
  readonly environment: string
  readonly message: string
}

export async function readState(
  deps: PromotionDeps & { readonly history: History },
  subject: Subject,
): Promise<Result<StateFacts, GitFailure>> {
  const { eligibility, entity, branch, commit } = subject
  const { pipeline } = deps
  const promotable = eligibility.kind === 'promotable' ? eligibility : null
  const [read, pullRequests, deployments] = await Promise.all([
    promotable === null ? ok([]) : readEnvironments(deps, { branch, commit }, promotable),
    readPullRequests(deps, eligibility.pulls),
    promotable === null ? new Map() : deps.history.deployments({ branch, commit }, promotable),
  ])
  if (!read.ok) return read
  const environments = read.value
  const { team, app } = eligibility
  const isDeprecated = pipeline.parseLifecycle(entity.card.lifecycle) === DEPRECATED
  return ok({
    subject,
    lifecycle: promotable?.lifecycle ?? entity.card.lifecycle,
    imageTags: imageTagsOf(pipeline, promotable?.application ?? ABSENT),
    environments,
    deployments,
    pullRequests,
    canDeprecate: team !== null && app !== null && !isDeprecated,
    confirm:
      eligibility.kind === 'promotable'
        ? confirmOf(pipeline, eligibility, environments)
        : cannotConfirm(eligibility.reason),
    drift: promotable === null ? [] : driftOf(pipeline, promotable.lifecycle, environments),
  })
}

async function readEnvironments(
  deps: PromotionDeps,
  base: Head,
  promotable: Promotable,
): Promise<Result<readonly EnvironmentState[], GitFailure>> {
  const { stages } = deps.pipeline
  const environments: EnvironmentState[] = []
  for (const read of await Promise.all(
    stages.map((stage) => readEnvironment(deps, base, promotable, stage)),
  )) {
    if (!read.ok) return read
    environments.push(read.value)
  }
  return ok(environments)
}

async function readPullRequests(
  { requesters, facts }: Pick<PromotionDeps, 'requesters' | 'facts'>,
  pulls: Promotable['pulls'],
): Promise<readonly AskedPullRequest[]> {
  const open = pulls.map(({ pull }) => pull)
  const [known, factsOf] = await Promise.all([requesters.of(open), facts.of(open)])
  return pulls.map((each) => ({
    ...each,
    createdBy: creatorOf(each.pull, known),
    facts: factsOf(each.pull),
  }))
}

const imageTagsOf = ({ stages }: Pipeline, { overlays }: Application) =>
  Object.fromEntries(
    stages.map((stage) => [stage.environment, overlays.get(stage)?.image?.tag ?? null]),
  )

const cannotConfirm = (reason: string): ConfirmState => ({
  available: false,
  targetLifecycle: null,
  reason,
  pullRequest: null,
})

/** The specification fixes the reason while a pull request is open, be it that of the overlay or that of the lifecycle. */
function confirmOf(
  pipeline: Pipeline,
  { lifecycle, pulls }: Promotable,
  environments: readonly EnvironmentState[],
): ConfirmState {
  const next = pipeline.stageAfter(lifecycle)
  const environment = environments.find(({ stage }) => stage === next)
  if (environment === undefined) {
    return cannotConfirm(lifecycle === DEPRECATED ? 'deprecated' : `nothing is above ${lifecycle}`)
  }
  const { stage, state } = environment
  const changing = openPull(pulls, stage, 'lifecycle')?.number ?? null
  const pullRequest = environment.pullRequest ?? changing
  const targetLifecycle = stage.lifecycle
  const no = (reason: string): ConfirmState => ({
    available: false,
    targetLifecycle,
    reason,
    pullRequest,
  })
  switch (state) {
    case 'ready_to_confirm':
    case 'live':
      return changing === null
        ? { available: true, targetLifecycle, reason: null, pullRequest: null }
        : no(`PR #${changing} pending`)
    case 'pr_open':
      return no(`PR #${pullRequest} pending`)
    case 'pr_closed':
      return no(`PR #${pullRequest} was closed`)
    case 'none':
      return no('overlay missing')
  }
}

const driftOf = (
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  environments: readonly EnvironmentState[],
): readonly Drift[] =>
  environments.flatMap(({ stage, overlay, state }): readonly Drift[] => {
    const { environment } = stage
    if (state === 'ready_to_confirm') {
      const message = `the overlay of ${environment} is there, and the lifecycle is still ${lifecycle}`
      return [{ code: 'lifecycle_behind_overlay', environment, message }]
    }
    if (overlay === null && lifecycle !== DEPRECATED && pipeline.hasReached(lifecycle, stage)) {
      const message = `the lifecycle is ${lifecycle}, and there is no overlay of ${environment}`
      return [{ code: 'lifecycle_ahead_of_overlay', environment, message }]
    }
    return []
  })

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

async function readEnvironment(
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
  { applications }: PromotionDeps,
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
  const merged = await applications.merged(
    { ours: base.commit, theirs: head },
    { team, app },
    application,
  )
  if (!merged.ok) return merged
  return ok(merged.value === null ? branch : (merged.value.overlays.get(stage) ?? null))
}
