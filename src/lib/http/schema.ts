import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { schemaFaults } from '../schema/field-error.ts'
import { lazily } from '../concurrency/lazily.ts'
import { err, ok, type Result } from '../result.ts'
import type { HttpFailure } from './failure.ts'
import { Refusal } from './problem.ts'

/**
 * Bridges TypeBox 1.x to Elysia 1.4, which is built on TypeBox 0.34, by Standard Schema (standardschema.dev). Elysia 2 takes
 * TypeBox 1.x schemas directly and makes this file obsolete.
 */
interface StandardSchema<Value> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'typebox'
    readonly validate: (value: unknown) => StandardResult<Value>
    readonly types?: { readonly input: Value; readonly output: Value }
  }
}

interface StandardResult<Value> {
  readonly value: Value
}

const ERRORS_MAX = 20

type Invalid = Extract<HttpFailure, { kind: 'validation_failed' }>

/**
 * Creates a check of values against a schema, without conversion. `part` begins the path of errors. Compiles at the first use, because
 * compiling all schemas would slow down the start.
 */
export function createChecker<Schema extends TSchema>(schema: Schema, part: string) {
  const validator = lazily(() => Compile(schema))
  return (input: unknown): Result<Static<Schema>, Invalid> => {
    if (validator().Check(input)) return ok(input)
    const faults = schemaFaults(validator(), input).slice(0, ERRORS_MAX)
    const errors = faults.map((fault) => ({ ...fault, path: `${part}${fault.path}` }))
    return err({ kind: 'validation_failed', errors })
  }
}

/** A schema of path parameters for Elysia. Parameters are text: nothing is converted, filled in or dropped. */
export function pathParameters<Schema extends TSchema>(
  schema: Schema,
): Schema & StandardSchema<Static<Schema>> {
  const check = createChecker(schema, '/params')
  // A throw, because issues of Standard Schema have no place for the rule.
  const validate = (input: unknown): StandardResult<Static<Schema>> => {
    const value = check(input)
    if (value.ok) return { value: value.value }
    throw new Refusal(value.error)
  }
  return Object.assign(
    { ...schema },
    { '~standard': { version: 1, vendor: 'typebox', validate } as const },
  )
}
