import type { FieldSpec } from './field-spec.ts'

/** The value of a parameter of a template. */
export type ParameterValue = string | number | boolean

/** The keywords of JSON Schema that shape a field. The server checks the others. */
export interface ParameterSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean'
  readonly title?: string
  readonly description?: string
  readonly default?: ParameterValue
  readonly examples?: readonly ParameterValue[]
  readonly enum?: readonly ParameterValue[]
  readonly maxLength?: number
}

export interface ParametersSchema {
  readonly properties: Readonly<Record<string, ParameterSchema>>
  readonly required?: readonly string[]
}

/** Characters that the server takes as the value of a text, if the template does not say less. */
const TEXT_VALUE_MAX = 200

/** The fields of a form, in the order of the template. */
export const fieldsOf = ({ properties, required = [] }: ParametersSchema): readonly FieldSpec[] =>
  Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)))

function fieldOf(name: string, schema: ParameterSchema, isRequired: boolean): FieldSpec {
  const control = controlOf(schema)
  const options = (schema.enum ?? []).map(String)
  const [example] = schema.examples ?? []
  return {
    path: `/parameters/${name}`,
    control,
    label: schema.title ?? labelOf(name),
    help: schema.description,
    placeholder: example?.toString(),
    maxLength: control === 'text' ? (schema.maxLength ?? TEXT_VALUE_MAX) : undefined,
    isRequired,
    initial: initialOf(schema, control),
    // Without a choice there has to be a way to make none.
    options: control === 'select' && schema.default === undefined ? ['', ...options] : options,
  }
}

type Control = 'text' | 'number' | 'checkbox' | 'select'

function controlOf({ type, enum: choices }: ParameterSchema): Control {
  if (choices !== undefined) return 'select'
  if (type === 'boolean') return 'checkbox'
  return type === 'integer' || type === 'number' ? 'number' : 'text'
}

/** `databaseSize` and `database-size` are `Database size`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z0-9])([A-Z])(?![A-Z]|$)/g, (_, before: string, letter: string) => {
      return `${before} ${letter.toLowerCase()}`
    })
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const initialOf = (schema: ParameterSchema, control: Control): string =>
  String(schema.default ?? (control === 'checkbox' ? 'false' : ''))

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * `parameters` of a request from the texts of the controls. A number that is none, or that JSON would round, is sent as its text, so
 * that the server says what is wrong with it. A control without a text is left out, and the server takes the default or says that a
 * value is required; a text that has a default may be empty on purpose.
 */
export function parametersOf(
  { properties, required = [] }: ParametersSchema,
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, ParameterValue>> {
  const values = Object.entries(properties).flatMap(([name, schema]) => {
    const text = texts[name] ?? initialOf(schema, controlOf(schema))
    const value = valueOf(schema, text, required.includes(name))
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}

function valueOf(
  schema: ParameterSchema,
  text: string,
  isRequired: boolean,
): ParameterValue | undefined {
  const choice = schema.enum?.find((each) => String(each) === text)
  if (choice !== undefined) return choice
  const control = controlOf(schema)
  if (control === 'checkbox') return text === 'true'
  if (text === '' && (control !== 'text' || isRequired)) return undefined
  return control === 'number' ? numberOf(text) : text
}

function numberOf(text: string): number | string {
  const trimmed = text.trim()
  const value = Number(trimmed)
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
  return NUMBER.test(trimmed) && isExact ? value : text
}
