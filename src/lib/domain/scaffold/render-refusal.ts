import type { FieldError } from '../../schema/field-error.ts'
import type { RenderFailure, ValuesUnfit } from './render.ts'
import type { ScaffoldRequest } from './request.ts'

export type RenderRefusal =
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
  // One place says enough, and the request could not do more than change the value.
  const byPath = new Map(failure.misfits.map((misfit) => [misfit.path, misfit]))
  return { kind: 'validation_failed', errors: [...byPath.values()] }
}
