import type { Image } from '../gitops/overlay.ts'
import type { WrittenFile } from '../../ports/git-host.ts'
import type { MoveKind } from './decide.ts'
import type { Stage, Target } from './pipeline.ts'
import type { Proposal, Target as Branch } from './proposal.ts'
import type { CheckedSecrets } from './secrets.ts'
import type { Warning } from './warnings.ts'

/** The effects of a request, decided and not yet performed. */
export interface Plan {
  readonly kind: MoveKind
  readonly target: Target
  /** `null`: only the confirmation is due, or a release has nothing but secrets. */
  readonly change: PlannedChange | null
  readonly secrets: CheckedSecrets | null
  /** Title of the pull request. */
  readonly title: string
  readonly image: {
    readonly name: string
    readonly image: Image | null
    readonly carriedFrom: string | null
  } | null
  readonly stage: Stage | null
  readonly warnings: readonly Warning[]
}

export interface PlannedChange {
  readonly proposal: Proposal
  readonly to: Branch
  /** The files of the pull request, as a merge into the default branch as it is now would leave them. */
  readonly files: readonly WrittenFile[]
}

export const PLAN_STATUSES = ['pr_open', 'ready_to_confirm', 'secrets_written'] as const

/** The status that a plan has once it is performed. */
export function statusOf({
  kind,
  change,
}: Pick<Plan, 'kind' | 'change'>): (typeof PLAN_STATUSES)[number] {
  if (change !== null) return 'pr_open'
  return kind === 'release' ? 'secrets_written' : 'ready_to_confirm'
}
