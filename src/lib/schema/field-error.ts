import type { TLocalizedValidationError } from 'typebox/error'
import type { Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { isObject } from '../text/json.ts'
import { type Rule, TEXT_RULES, type TextRule } from './rules.ts'

/** Process-wide; the default is eight. */
const TYPEBOX_ERRORS_MAX = 100

Settings.Set({ maxErrors: TYPEBOX_ERRORS_MAX })

export interface FieldError {
  /** JSON pointer into the body, or `/query/…`, `/headers/…`, `/params/…`. */
  readonly path: string
  /** Part of the contract. */
  readonly rule: Rule
  /** The expectation for people, never the submitted value and never a pattern. */
  readonly message: string
}

/** Every fault of a value: a missing member by its own path, an `Enum` with all its values. */
export const schemaFaults = (
  schema: Pick<Validator, 'Errors' | 'Type'>,
  value: unknown,
): readonly FieldError[] =>
  schema.Errors(value).flatMap((error) => {
    const { instancePath: path, keyword, params } = error
    if (keyword === 'required') {
      return params.requiredProperties.map((name) => ({
        path: `${path}/${name}`,
        rule: 'required' as const,
        message: 'is required',
      }))
    }
    // Each name and each unknown member has a fault of its own.
    if (keyword === 'propertyNames' || keyword === 'additionalProperties') return []
    return { path, ...explained(error, schema.Type()) }
  })

type Explained = Omit<FieldError, 'path'>

function explained(
  { keyword, params, schemaPath }: TLocalizedValidationError,
  schema: unknown,
): Explained {
  if (keyword === 'pattern') return patternRule(schemaAt(schema, schemaPath))
  if (keyword === 'type') return { rule: 'type', message: `must be ${typesOf(params.type)}` }
  // `additionalProperties: false`, at the member that is too much.
  if (keyword === 'boolean') return { rule: 'unknown', message: 'is not known here' }
  if (keyword === 'enum') {
    return { rule: 'one_of', message: `must be one of ${params.allowedValues.join(', ')}` }
  }
  if (keyword === 'format' && params.format === 'date') {
    return { rule: 'date', message: 'must be a date, such as 2026-12-31' }
  }
  if (keyword === 'minimum') {
    return { rule: 'minimum', message: `must be at least ${params.limit}` }
  }
  if (keyword === 'maximum') {
    return { rule: 'maximum', message: `must be at most ${params.limit}` }
  }
  if (keyword === 'minLength') {
    return { rule: 'min_length', message: `must have at least ${characters(params.limit)}` }
  }
  if (keyword === 'maxLength') {
    return { rule: 'max_length', message: `must have at most ${characters(params.limit)}` }
  }
  if (keyword === 'maxProperties') {
    return { rule: 'max_keys', message: `must have at most ${params.limit} keys` }
  }
  if (keyword === 'maxItems') {
    return { rule: 'max_items', message: `must have at most ${params.limit} values` }
  }
  return INVALID
}

const INVALID: Explained = { rule: 'invalid', message: 'is not valid' }

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

const typesOf = (types: string | readonly string[]): string =>
  [types]
    .flat()
    .map((type) => TYPES[type] ?? type)
    .join(' or ')

const characters = (limit: number | bigint): string =>
  `${limit} ${Number(limit) === 1 ? 'character' : 'characters'}`

function patternRule(schema: unknown): Explained {
  const rule = isObject(schema) ? schema['x-rule'] : undefined
  return isTextRule(rule) ? { rule, message: TEXT_RULES[rule] } : INVALID
}

const isTextRule = (rule: unknown): rule is TextRule =>
  typeof rule === 'string' && Object.hasOwn(TEXT_RULES, rule)

/** The schema that a fault is of. Its path is a pointer into the whole schema. */
const schemaAt = (schema: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce((inner: unknown, step) => (isObject(inner) ? inner[step] : undefined), schema)
