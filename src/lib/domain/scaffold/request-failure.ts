import type { RunId, TeamName } from '../../names.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { RunNotFound } from '../runs/runs.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Forbidden } from '../access/authorise.ts'
import type { LoadFailure } from '../catalog/load-failure.ts'
import type { NameHolder } from './availability.ts'
import type { RenderFailure, ValuesUnfit } from './render.ts'
import type { ScaffoldRequest } from './request.ts'
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

type RenderRefusal =
  | Exclude<RenderFailure, ValuesUnfit>
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }

/** A request whose files cannot be rendered. A default that does not fit is a fault of the template, and not of the request. */
export function renderRefusal(
  failure: RenderFailure,
  { parameters = {} }: Pick<ScaffoldRequest, 'parameters'>,
): RenderRefusal {
  if (failure.kind !== 'values_unfit') return failure
  const given = new Set(Object.keys(parameters).map((name) => `/parameters/${name}`))
  const own = failure.misfits.find(({ path }) => path !== '/description' && !given.has(path))
  if (own !== undefined) {
    return { kind: 'template_broken', reason: `the default of ${own.path.slice(1)} ${own.message}` }
  }
  // The first misfit of a value is enough: a request can only change the value.
  const byPath = new Map(failure.misfits.map((misfit) => [misfit.path, misfit]))
  return { kind: 'validation_failed', errors: [...byPath.values()] }
}
