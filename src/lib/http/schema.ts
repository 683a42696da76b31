import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Name, Named } from '../names.ts'
import type { FieldError } from './problem.ts'

/**
 * TypeBox 1.x schemas for Elysia 1.4, which itself speaks TypeBox 0.34: through Standard Schema (standardschema.dev).
 * Goes away with Elysia 2, which takes TypeBox 1.x schemas as they are.
 */
interface StandardSchema<Value> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'typebox'
    readonly validate: (value: unknown) => StandardResult<Value>
    readonly types?: { readonly input: Value; readonly output: Value }
  }
}

type StandardResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path: readonly string[] }[] }

const ERRORS_MAX = 20

/** Compiles a schema when it is first used: compiling all of them at start would cost more than most requests. */
export function createValidator<Schema extends TSchema>(schema: Schema) {
  let compiled: ReturnType<typeof Compile<Schema>> | undefined
  return (
    input: unknown,
  ): { ok: true; value: Static<Schema> } | { ok: false; errors: FieldError[] } => {
    compiled ??= Compile(schema)
    const value: unknown = compiled.Clean(compiled.Default(input))
    if (compiled.Check(value)) return { ok: true, value }
    const errors = compiled.Errors(value).slice(0, ERRORS_MAX)
    return {
      ok: false,
      errors: errors.map(({ instancePath, message }) => ({ path: instancePath, message })),
    }
  }
}

/** A schema of path parameters as Elysia takes it. They are text, so nothing is converted, filled in or dropped. */
export function pathParameters<Schema extends TSchema>(
  schema: Schema,
): Schema & StandardSchema<Static<Schema>> {
  let compiled: ReturnType<typeof Compile<Schema>> | undefined
  const standard: StandardSchema<Static<Schema>>['~standard'] = {
    version: 1,
    vendor: 'typebox',
    validate: (value) => {
      compiled ??= Compile(schema)
      if (compiled.Check(value)) return { value }
      const issues = compiled.Errors(value).slice(0, ERRORS_MAX)
      return {
        issues: issues.map(({ instancePath, message }) => ({
          message,
          path: instancePath.split('/').slice(1),
        })),
      }
    },
  }
  return Object.assign({ ...schema }, { '~standard': standard })
}

/** The schema of a name from `names.ts`. */
export const named = <Kind extends string>(
  { pattern, maxLength }: Name<Kind>,
  options: { readonly description?: string; readonly examples?: readonly string[] } = {},
) => Type.Unsafe<Named<Kind>>(Type.String({ pattern, maxLength, ...options }))
