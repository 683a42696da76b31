import type { Image } from '../gitops/overlay.ts'
import type { Standing } from '../gitops/standing.ts'
import type { Stage } from './pipeline.ts'
import type { ProposalRequest } from './propose.ts'
import type { CheckedSecrets } from './secrets.ts'
import type { Texts } from './texts.ts'
import type { Warning } from './warnings.ts'

/** The effects of a request, decided and not yet performed. */
export interface Plan {
  /** `null`: the overlay is on the default branch, and only the confirmation is due. */
  readonly change: PlannedChange | null
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
  readonly proposal: ProposalRequest
  readonly standing: Standing
  /** The proposed files as the open pull request has them. */
  readonly current: Texts
  readonly secrets: CheckedSecrets | null
}
