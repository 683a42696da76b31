import type { Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'

/** Process-wide; the default is eight. */
const TYPEBOX_ERRORS_MAX = 100

Settings.Set({ maxErrors: TYPEBOX_ERRORS_MAX })

export interface FieldError {
  /** JSON pointer into the body, or `/query/…`, `/headers/…`. */
  readonly path: string
  /** The expectation, never the submitted value. */
  readonly message: string
}

/** Every fault of a value: a missing member by its own path, an `Enum` with all its values. */
export const schemaFaults = (
  schema: Pick<Validator, 'Errors'>,
  value: unknown,
): readonly FieldError[] =>
  schema.Errors(value).flatMap(({ keyword, params, instancePath: path, message }) => {
    if (keyword === 'required') {
      return params.requiredProperties.map((name) => ({
        path: `${path}/${name}`,
        message: 'is required',
      }))
    }
    if (keyword === 'enum') {
      return { path, message: `must be one of ${params.allowedValues.join(', ')}` }
    }
    return { path, message: keyword === 'pattern' ? `must match ${params.pattern}` : message }
  })
