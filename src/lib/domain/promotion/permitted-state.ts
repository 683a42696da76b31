import type { Principal } from '../access/principal.ts'
import { unknownGroupsAdvice } from '../access/unknown-groups.ts'
import type { Placement } from '../clusters/runs-on.ts'
import { authoriseMove, decideMove, requiredFor } from './decide.ts'
import { DEPRECATED, type Pipeline, type Stage } from './pipeline.ts'
import { progressFrom } from './progress.ts'
import type { EnvironmentState, StateFacts } from './state.ts'
import { type Promotable, type Unpromotable, UNPROMOTABLE } from './subject.ts'

/** The state of an application, with the rights of a person. */
export interface PromotionState extends Omit<StateFacts, 'environments' | 'canDeprecate'> {
  readonly environments: readonly (EnvironmentState & Permission)[]
  readonly next: (EnvironmentState & Permission) | null
  /** `null`: it is deprecated, or lacks what a deprecation needs. */
  readonly deprecation: Permission | null
  /** The acts of the API, each allowed to the caller or refused with a reason. */
  readonly acts: readonly Act[]
}

/** Whether the caller may ask for a move, and the groups of which one suffices. */
interface Permission {
  readonly allowed: boolean
  readonly requires: readonly string[]
}

export function permit(
  source: { readonly platformGroup: string; readonly pipeline: Pipeline },
  facts: StateFacts,
  principal: Principal,
): PromotionState {
  const { eligibility } = facts.subject
  const permission = (stage?: Stage): Permission => {
    const requires = requiredFor(stage, eligibility.team, source.platformGroup)
    return { allowed: authoriseMove(principal, stage, requires).ok, requires }
  }
  const environments = facts.environments.map((each) => ({ ...each, ...permission(each.stage) }))
  const next =
    eligibility.kind === 'promotable' && source.pipeline.stageAfter(eligibility.lifecycle)
  return {
    ...facts,
    environments,
    next: environments.find(({ stage }) => stage === next) ?? null,
    deprecation: facts.canDeprecate ? permission() : null,
    acts: actsOf(source, facts, principal),
  }
}

/** `update` changes an open pull request: that of its environment, or that of the deprecation. */
export const ACTS = ['promote', 'update', 'confirm', 'release', 'rollback', 'deprecate'] as const

/** Codes of the problems that a request would be answered with. */
export const ACT_REASONS = [
  'forbidden',
  'not_promotable',
  'invalid_transition',
  'pr_pending',
  'pr_closed',
  'overlay_missing',
] as const

/** Something that can be asked for now, or that would be refused. */
export interface Act {
  readonly do: (typeof ACTS)[number]
  /** `null`: the deprecation. */
  readonly environment: string | null
  readonly allowed: boolean
  /** Groups of which one suffices. */
  readonly requires: readonly string[]
  readonly reason: (typeof ACT_REASONS)[number] | null
  /** The effect, or why it is refused and what to do. */
  readonly message: string
}

interface Refusal {
  readonly reason: (typeof ACT_REASONS)[number]
  readonly message: string
}

/** Nobody can do it before something else has happened: that is said before who may. */
const EARLY: ReadonlySet<string> = new Set(['invalid_transition', 'overlay_missing', 'pr_closed'])

/** Everything that a person can do, by environment in the order of promotion, the deprecation last. `tests/domain/promotion/permitted-state.test.ts` */
export function actsOf(
  { pipeline, platformGroup }: { readonly pipeline: Pipeline; readonly platformGroup: string },
  facts: StateFacts,
  principal: Principal,
): readonly Act[] {
  const { eligibility, entity } = facts.subject
  const { name } = entity.card
  const act = (
    what: Act['do'],
    stage: EnvironmentState['stage'] | undefined,
    effect: string,
    state: Refusal | null = null,
  ): Act => {
    const requires = requiredFor(stage, eligibility.team, platformGroup)
    const isEarly = state !== null && EARLY.has(state.reason)
    const refused = isEarly ? state : (roleRefusal(requires, stage, principal) ?? state)
    return {
      do: what,
      environment: stage?.environment ?? null,
      allowed: refused === null,
      requires,
      ...(refused ?? { reason: null, message: effect }),
    }
  }
  const impossible = (why: string) => refusal('invalid_transition', why)

  function actsIn(promotable: Promotable, environment: EnvironmentState): readonly Act[] {
    const { stage, overlay, state, proposed } = environment
    const { environment: where, lifecycle } = stage
    const next = pipeline.stageAfter(promotable.lifecycle)
    const decided = decideMove(pipeline, promotable.lifecycle, lifecycle, () =>
      progressFrom(overlay !== null, proposed?.pullRequest),
    )
    if (!decided.ok) {
      const there =
        overlay === null ? `Nothing is in ${where} yet.` : `${where} has an overlay already.`
      const why =
        next === undefined ? `${name} is deprecated.` : `${there} ${next.environment} comes first.`
      return [act('promote', stage, '', impossible(why))]
    }
    const { base } = promotable.application
    const unwritable = base.ok ? null : unpromotable(base.error)
    const update =
      proposed && act('update', stage, `Changes pull request #${proposed.pullRequest}.`, unwritable)
    switch (decided.value.kind) {
      case 'deprecate':
        return []
      case 'release': {
        const release = `Opens a pull request that changes what runs in ${where}.`
        const rollback = `Proposes an image that ran in ${where} before.`
        return [
          update ?? act('release', stage, release, unwritable),
          act('rollback', stage, rollback, unwritable),
        ]
      }
      case 'propose':
      case 'ready_to_confirm': {
        const promote = `Opens a pull request that takes ${name} to ${where}.`
        return [
          ...(state === 'ready_to_confirm'
            ? []
            : [update ?? act('promote', stage, promote, unwritable)]),
          ...(stage === next
            ? [act('confirm', stage, `Moves the lifecycle to ${lifecycle}.`, confirmRefusal(facts))]
            : []),
        ]
      }
    }
  }

  function actsWithout({ reason }: Unpromotable): readonly Act[] {
    const why = unpromotable(UNPROMOTABLE[reason])
    return pipeline.stages.map((stage) => act('promote', stage, '', why))
  }

  function deprecation(): readonly Act[] {
    if (eligibility.kind === 'promotable' && facts.lifecycle === DEPRECATED) {
      return [act('deprecate', undefined, '', impossible(`${name} is deprecated.`))]
    }
    if (!facts.canDeprecate) return []
    const open = facts.pullRequests.find(({ act }) => act === 'deprecate')?.pull.number
    return [
      open === undefined
        ? act('deprecate', undefined, `Opens a pull request that deprecates ${name}.`)
        : act('update', undefined, `Changes pull request #${open}.`),
    ]
  }

  return [
    ...(eligibility.kind === 'promotable'
      ? facts.environments.flatMap((environment) => actsIn(eligibility, environment))
      : actsWithout(eligibility)),
    ...deprecation(),
  ]
}

const refusal = (reason: Refusal['reason'], message: string): Refusal => ({ reason, message })
const unpromotable = (why: string) =>
  refusal('not_promotable', `The application cannot be promoted: ${why}.`)

/** Says who may, and who can help. */
function roleRefusal(
  requires: readonly string[],
  stage: EnvironmentState['stage'] | undefined,
  principal: Principal,
): Refusal | null {
  const allowed = authoriseMove(principal, stage, requires)
  if (allowed.ok) return null
  const { environments } = allowed.error
  if (environments !== undefined)
    return refusal('forbidden', `This workload may change only ${environments.join(', ')}.`)
  const advice = unknownGroupsAdvice(principal.groups)
  if (advice !== null)
    return refusal('forbidden', `The sign-in did not tell your groups. ${advice}`)
  const groups = requires.join(' or ')
  const whom = requires.length > 1 ? 'a member of one of them' : 'a member'
  return refusal('forbidden', `Needs ${groups}. Ask ${whom}.`)
}

/** Why the promotion to the next environment cannot be confirmed; `null` if it can. */
function confirmRefusal({ confirm, environments }: StateFacts): Refusal | null {
  if (confirm.available) return null
  const next = environments.find(({ stage }) => stage.lifecycle === confirm.targetLifecycle)
  const reasons = { none: 'overlay_missing', pr_closed: 'pr_closed' } as const
  const { state } = next ?? {}
  const reason = state === 'none' || state === 'pr_closed' ? reasons[state] : 'pr_pending'
  return refusal(reason, confirm.reason ?? '')
}

/** The environments of an application with the namespaces that their overlays name. */
export const placementsOf = ({
  subject: { eligibility },
  environments,
}: PromotionState): readonly Placement[] =>
  eligibility.kind === 'promotable'
    ? environments.map(({ stage: { environment }, overlay }) => ({
        environment,
        team: eligibility.team,
        app: eligibility.app,
        namespace: overlay?.namespace ?? null,
      }))
    : []
