import { appPath } from '../gitops/layout.ts'
import { secretPath } from '../../names.ts'
import type { Principal } from '../access/principal.ts'
import type { PlacedOverlay } from './application.ts'
import { authorise, requiredFor, type Standing } from './decide.ts'
import type { StatePullRequest } from './pulls.ts'
import { DEPRECATED, FIRST, type Lifecycle, pipeline, type Stage, stageAfter } from './pipeline.ts'
import type { Promotable, Subject, Unpromotable } from './subject.ts'

const RECENT_MAX = 20

/** Where an application stands on its way, for a panel. */
export interface PromotionState {
  readonly subject: Subject
  readonly lifecycle: string | null
  readonly environments: readonly EnvironmentState[]
  readonly pullRequests: readonly StatePullRequest[]
  readonly next: Next | null
  readonly confirm: ConfirmState
  readonly drift: readonly Drift[]
}

export interface EnvironmentState {
  readonly stage: Stage
  readonly overlay: PlacedOverlay | null
  readonly state: 'none' | 'pr_open' | 'pr_closed' | 'ready_to_confirm' | 'live'
  readonly pullRequest: number | null
}

export interface Next {
  readonly stage: Stage
  readonly allowed: boolean
  readonly requires: readonly string[]
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

export function standingOf({ application, pulls }: Promotable, stage: Stage): Standing {
  const own = pulls.filter(
    ({ move }) => move.act === 'promote' && move.environment === stage.environment,
  )
  const open = own.find(({ pull }) => pull.state === 'open')
  if (open !== undefined) return { kind: 'pr_open', pullRequest: open.pull.number }
  if (application.overlays.has(stage)) return { kind: 'on_main' }
  const [last] = own
  return last?.pull.state === 'closed'
    ? { kind: 'pr_closed', pullRequest: last.pull.number }
    : { kind: 'none' }
}

export function stateOf(
  subject: Subject,
  principal: Principal,
  platformGroup: string,
): PromotionState {
  const { standing } = subject
  if (standing.kind === 'not_promotable') return unpromotable(subject, standing)
  const { lifecycle, team, pulls } = standing
  const environments = pipeline.map((stage) => environmentOf(standing, stage))
  const stage = stageAfter(lifecycle)
  return {
    subject,
    lifecycle,
    environments,
    pullRequests: pulls.slice(0, RECENT_MAX),
    next:
      stage === undefined
        ? null
        : {
            stage,
            allowed: authorise(principal, stage.lifecycle, team, platformGroup).ok,
            requires: requiredFor(stage.lifecycle, team, platformGroup),
          },
    confirm: confirmOf(standing, stage),
    drift: driftOf(lifecycle, environments),
  }
}

function unpromotable(subject: Subject, { reason }: Unpromotable): PromotionState {
  return {
    subject,
    lifecycle: subject.lifecycleText,
    environments: [],
    pullRequests: [],
    next: null,
    confirm: { available: false, targetLifecycle: null, reason, pullRequest: null },
    drift: [],
  }
}

const reached = (lifecycle: Lifecycle, stage: Stage): boolean =>
  lifecycle === DEPRECATED ||
  (lifecycle !== FIRST &&
    pipeline.findIndex((each) => each.lifecycle === lifecycle) >= pipeline.indexOf(stage))

function environmentOf(promotable: Promotable, stage: Stage): EnvironmentState {
  const overlay = promotable.application.overlays.get(stage) ?? null
  const standing = standingOf(promotable, stage)
  const pullRequest = 'pullRequest' in standing ? standing.pullRequest : null
  if (standing.kind !== 'on_main') {
    return { stage, overlay, state: standing.kind, pullRequest }
  }
  const state = reached(promotable.lifecycle, stage) ? 'live' : 'ready_to_confirm'
  return { stage, overlay, state, pullRequest }
}

/** The reason while a pull request is open is the specification's, to the letter. */
function confirmOf(promotable: Promotable, stage: Stage | undefined): ConfirmState {
  const no = (reason: string, pullRequest: number | null = null): ConfirmState => ({
    available: false,
    targetLifecycle: stage?.lifecycle ?? null,
    reason,
    pullRequest,
  })
  if (stage === undefined) {
    return no(promotable.lifecycle === DEPRECATED ? 'deprecated' : 'nothing is above production')
  }
  const standing = standingOf(promotable, stage)
  switch (standing.kind) {
    case 'on_main':
      return {
        available: true,
        targetLifecycle: stage.lifecycle,
        reason: null,
        pullRequest: null,
      }
    case 'pr_open':
      return no(`PR #${standing.pullRequest} pending`, standing.pullRequest)
    case 'pr_closed':
      return no(`PR #${standing.pullRequest} was closed`, standing.pullRequest)
    case 'none':
      return no('overlay missing')
  }
}

const driftOf = (
  lifecycle: Lifecycle,
  environments: readonly EnvironmentState[],
): readonly Drift[] =>
  environments.flatMap(({ stage, overlay, state }): readonly Drift[] => {
    const { environment } = stage
    if (state === 'ready_to_confirm') {
      const message = `the overlay of ${environment} is there, and the lifecycle is still ${lifecycle}`
      return [{ code: 'lifecycle_behind_overlay', environment, message }]
    }
    if (overlay === null && lifecycle !== DEPRECATED && reached(lifecycle, stage)) {
      const message = `the lifecycle is ${lifecycle}, and there is no overlay of ${environment}`
      return [{ code: 'lifecycle_ahead_of_overlay', environment, message }]
    }
    return []
  })

/** What an answer says of the state. Additive members only: the specification names none. */
export function stateBody({
  subject,
  lifecycle,
  environments,
  pullRequests,
  next,
  confirm,
  drift,
}: PromotionState) {
  const { kind, name, commit, standing } = subject
  const place = standing.kind === 'promotable' ? standing : null
  return {
    entity: { kind, name },
    team: standing.team,
    app: place?.app ?? null,
    path: place === null ? null : appPath(place.team, place.app),
    revision: commit,
    promotable: place !== null,
    ...(standing.kind === 'not_promotable' && { reason: standing.reason }),
    lifecycle,
    pullRequests: pullRequests.map(pullRequestBody),
    imageTags: Object.fromEntries(
      pipeline.map(({ environment }) => [
        environment,
        environments.find(({ stage }) => stage.environment === environment)?.overlay?.image?.tag ??
          null,
      ]),
    ),
    environments:
      place === null ? [] : environments.map((environment) => environmentBody(environment, place)),
    next: next && {
      targetLifecycle: next.stage.lifecycle,
      environment: next.stage.environment,
      allowed: next.allowed,
      requires: next.requires,
    },
    confirm,
    drift,
  }
}

function pullRequestBody({ pull, move }: StatePullRequest) {
  const stage = pipeline.find(({ environment }) => environment === move.environment)
  return {
    number: pull.number,
    title: pull.title,
    url: pull.url,
    state: pull.state,
    environment: stage?.environment ?? null,
    targetLifecycle: stage?.lifecycle ?? DEPRECATED,
    branch: pull.head.branch,
    createdBy: pull.createdBy,
    createdAt: new Date(pull.createdAt).toISOString(),
    mergeable: pull.mergeable,
  }
}

function environmentBody(
  { stage, overlay, state, pullRequest }: EnvironmentState,
  { team, app, application }: Promotable,
) {
  const { image = null, config = {} } = overlay ?? {}
  return {
    name: stage.environment,
    lifecycle: stage.lifecycle,
    overlay: overlay !== null,
    state,
    pullRequest,
    image: image && { name: application.base?.image ?? null, ...image },
    config,
    secretsPath: secretPath(team, app, stage.environment),
  }
}
