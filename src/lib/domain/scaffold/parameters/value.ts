import type { FieldError } from '../../../schema/field-error.ts'
import { ONE_LINE } from '../../../schema/one-line.ts'
import { TEXT_RULES } from '../../../schema/rules.ts'
import type { Pattern } from './pattern.ts'
import {
  type ParameterSchema,
  type ParametersSchema,
  type ParameterValue,
  TEXT_VALUE_MAX,
} from './schema.ts'

export type ParameterType = NonNullable<ParameterSchema['type']>
export type ValueFault = Omit<FieldError, 'path'>

/** A parameter whose schema has no mistake. */
export interface Parameter {
  readonly type: ParameterType
  readonly schema: ParameterSchema
  readonly pattern: Pattern | null
  readonly isRequired: boolean
}

/** The parameters of a template. */
export interface Parameters {
  /** As in its file, for forms. */
  readonly schema: ParametersSchema
  readonly byName: ReadonlyMap<string, Parameter>
}

/** The type of a parameter; that of its choices when it names none. */
export function typeOf({ type, enum: choices }: ParameterSchema): ParameterType | undefined {
  if (type !== undefined || choices === undefined) return type
  return TYPES.find((each) => choices.every((choice) => isOfType(each, choice)))
}

const TYPES = ['string', 'integer', 'number', 'boolean'] as const satisfies ParameterType[]

function isOfType(type: ParameterType, value: unknown): value is ParameterValue {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

const NAMES: Readonly<Record<ParameterType, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

/** The first rule that a value breaks. */
export function valueFault(parameter: Parameter, value: unknown): ValueFault | undefined {
  const { type, schema } = parameter
  if (!isOfType(type, value)) return { rule: 'type', message: `must be ${NAMES[type]}` }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return { rule: 'one_of', message: `must be one of ${schema.enum.join(', ')}` }
  }
  if (typeof value === 'string') return textFault(parameter, value)
  return typeof value === 'number' ? numberFault(schema, value) : undefined
}

const oneLine = new RegExp(ONE_LINE, 'u')

function textFault({ schema, pattern }: Parameter, value: string): ValueFault | undefined {
  const { minLength = 0, maxLength = TEXT_VALUE_MAX } = schema
  // Before anything else reads it: the body may be much longer than a value.
  const length = value.length > 2 * TEXT_VALUE_MAX ? value.length : Array.from(value).length
  if (length > maxLength) {
    return { rule: 'max_length', message: `must have at most ${characters(maxLength)}` }
  }
  if (!oneLine.test(value)) return { rule: 'one_line', message: TEXT_RULES.one_line }
  if (length < minLength) {
    return { rule: 'min_length', message: `must have at least ${characters(minLength)}` }
  }
  if (pattern?.test(value) === false) return { rule: 'pattern', message: formOf(schema) }
  return undefined
}

const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`

/** People are shown an example, or what the template says of the parameter, and never the pattern. */
function formOf({ examples = [], default: fallback, description }: ParameterSchema): string {
  const example = examples[0] ?? fallback
  const form = 'must have the form that the template asks for'
  if (example !== undefined && example !== '') return `${form}, such as ${example}`
  return description === undefined ? form : `${form}: ${description}`
}

function numberFault(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: ParameterSchema,
  value: number,
): ValueFault | undefined {
  if (minimum !== undefined && value < minimum) {
    return { rule: 'minimum', message: `must be at least ${minimum}` }
  }
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return { rule: 'minimum', message: `must be more than ${exclusiveMinimum}` }
  }
  if (maximum !== undefined && value > maximum) {
    return { rule: 'maximum', message: `must be at most ${maximum}` }
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    return { rule: 'maximum', message: `must be less than ${exclusiveMaximum}` }
  }
  if (multipleOf !== undefined && value % multipleOf !== 0) {
    return { rule: 'multiple_of', message: `must be a multiple of ${multipleOf}` }
  }
  return undefined
}
