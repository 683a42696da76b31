import type { Principal } from '../access/principal.ts'
import { type Act, actsOf } from './acts.ts'
import { authoriseMove, requiredFor } from './decide.ts'
import type { EnvironmentState } from './environment-state.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import type { StateFacts } from './state.ts'

/** The state of an application, with the rights of a person. */
export interface PromotionState extends Omit<StateFacts, 'environments' | 'next' | 'canDeprecate'> {
  readonly environments: readonly (EnvironmentState & Permission)[]
  readonly next: ({ readonly stage: Stage } & Permission) | null
  /** `null`: it is deprecated, or lacks what a deprecation needs. */
  readonly deprecation: Permission | null
  /** What the caller can do now, and what not. */
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
  const { team } = facts.subject.eligibility
  const permission = (stage?: Stage): Permission => {
    const requires = requiredFor(stage, team, source.platformGroup)
    return { allowed: authoriseMove(principal, stage, requires).ok, requires }
  }
  const { environments, next, canDeprecate } = facts
  return {
    ...facts,
    environments: environments.map((each) => ({ ...each, ...permission(each.stage) })),
    next: next && { ...next, ...permission(next.stage) },
    deprecation: canDeprecate ? permission() : null,
    acts: actsOf(source, facts, principal),
  }
}
