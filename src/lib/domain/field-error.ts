import type { Validator } from 'typebox/compile'

export interface FieldError {
  /** JSON pointer into the body, or `query/…`, `params/…`. */
  readonly path: string
  /** What is expected. Never what was submitted. */
  readonly message: string
}

/** Everything that a schema has against a value. */
export const schemaFaults = (
  schema: Pick<Validator, 'Errors'>,
  value: unknown,
): readonly FieldError[] =>
  schema.Errors(value).map(({ keyword, params, instancePath, message }) => ({
    path: instancePath,
    message:
      keyword === 'pattern' && 'pattern' in params ? `must match ${params.pattern}` : message,
  }))
