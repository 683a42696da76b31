import type { Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'

/** TypeBox by itself stops at eight. This is for the whole process. */
const TYPEBOX_ERRORS_MAX = 100

Settings.Set({ maxErrors: TYPEBOX_ERRORS_MAX })

export interface FieldError {
  /** JSON pointer into the body, or `/query/…`, `/headers/…`. */
  readonly path: string
  /** What is expected. Never what was submitted. */
  readonly message: string
}

/** Everything that a schema has against a value: what is missing at its own place, and of an `Enum` all that there is. */
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
