import type { Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'

/** TypeBox counts each value of a choice, and by itself stops at eight, in the whole process. */
const TYPEBOX_ERRORS_MAX = 100

Settings.Set({ maxErrors: TYPEBOX_ERRORS_MAX })

export interface FieldError {
  /** JSON pointer into the body, or `/query/…`, `/headers/…`. */
  readonly path: string
  /** What is expected. Never what was submitted. */
  readonly message: string
}

/** Everything that a schema has against a value: what is missing at its own place, and of a choice all that there is, if it is one of literals. */
export function schemaFaults(
  schema: Pick<Validator, 'Errors'>,
  value: unknown,
): readonly FieldError[] {
  const errors = schema.Errors(value)
  const choices = new Map<string, unknown[]>()
  for (const { keyword, instancePath } of errors)
    if (keyword === 'anyOf') choices.set(instancePath, [])
  for (const error of errors)
    if (error.keyword === 'const') choices.get(error.instancePath)?.push(error.params.allowedValue)

  return errors.flatMap((error) => {
    const { keyword, params, instancePath: path, message } = error
    const choice = choices.get(path) ?? []
    if (choice.length > 0) {
      return keyword === 'anyOf' ? { path, message: `must be one of ${choice.join(', ')}` } : []
    }
    if (keyword === 'required') {
      return params.requiredProperties.map((name) => ({
        path: `${path}/${name}`,
        message: 'is required',
      }))
    }
    return { path, message: keyword === 'pattern' ? `must match ${params.pattern}` : message }
  })
}
