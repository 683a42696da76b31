import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { schemaFaults } from '../schema/field-error.ts'
import { lazily } from '../concurrency/lazily.ts'
import { err, ok, type Result } from '../result.ts'
import type { HttpFailure } from './problem.ts'

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

type Invalid = Extract<HttpFailure, { kind: 'validation_failed' }>

/** Checks a value against a schema, as it is. `part` begins the path of errors. */
export function createChecker<Schema extends TSchema>(schema: Schema, part: string) {
  const validator = compiledLater(schema)
  return (value: unknown): Result<Static<Schema>, Invalid> =>
    validator().Check(value) ? ok(value) : err(invalid(validator(), value, part))
}

/** When it is first used: compiling all of them at start would cost more than most requests. */
const compiledLater = <Schema extends TSchema>(schema: Schema) => lazily(() => Compile(schema))

const invalid = (
  validator: Parameters<typeof schemaFaults>[0],
  value: unknown,
  part: string,
): Invalid => ({
  kind: 'validation_failed',
  errors: schemaFaults(validator, value)
    .slice(0, ERRORS_MAX)
    .map(({ path, message }) => ({ path: `${part}${path}`, message })),
})

/** A schema of path parameters as Elysia takes it. They are text, so nothing is converted, filled in or dropped. */
export function pathParameters<Schema extends TSchema>(
  schema: Schema,
): Schema & StandardSchema<Static<Schema>> {
  const compiled = compiledLater(schema)
  const standard: StandardSchema<Static<Schema>>['~standard'] = {
    version: 1,
    vendor: 'typebox',
    validate: (value) => {
      const validator = compiled()
      if (validator.Check(value)) return { value }
      const issues = schemaFaults(validator, value).slice(0, ERRORS_MAX)
      return {
        issues: issues.map(({ path, message }) => ({ message, path: path.split('/').slice(1) })),
      }
    },
  }
  return Object.assign({ ...schema }, { '~standard': standard })
}
