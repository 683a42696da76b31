import type { RunId, TeamName } from '../../names.ts'
import type { RunNotFound } from '../runs/runs.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Forbidden } from '../access/authorise.ts'
import type { LoadFailure } from '../catalog/load-failure.ts'
import type { NameHolder } from './availability.ts'
import type { RenderRefusal } from './render-refusal.ts'
import type { SecretRightFailure } from './secret-right.ts'
import type { SpecFailure } from './spec.ts'

export type PreviewFailure =
  | Forbidden
  /** Only the platform team starts projects in a namespace of another team. */
  | { readonly kind: 'namespace_taken'; readonly team: TeamName }
  | SpecFailure
  | RenderRefusal
  | LoadFailure
  | SecretRightFailure

export type SubmitFailure =
  | PreviewFailure
  | { readonly kind: 'idempotency_key_reused' }
  | {
      readonly kind: 'already_exists'
      readonly where: readonly (NameHolder | 'run')[]
      /** A failed run of the same person that can be retried. */
      readonly runId: RunId | null
    }
  | DatabaseFailure

export type RetryFailure =
  | RunNotFound
  | Forbidden
  /** Complete, failed for good, or another run of the same repository is running. */
  | { readonly kind: 'run_not_retryable' }
  | SecretRightFailure
  | DatabaseFailure
