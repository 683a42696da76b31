/** The value of a parameter of a template. */
export type ParameterValue = string | number | boolean

/** The keywords of JSON Schema that a parameter of a template may have. */
export interface ParameterSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean'
  readonly title?: string
  readonly description?: string
  readonly default?: ParameterValue
  readonly examples?: readonly ParameterValue[]
  readonly enum?: readonly ParameterValue[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
}

export interface ParametersSchema {
  readonly properties: Readonly<Record<string, ParameterSchema>>
  readonly required?: readonly string[]
}

/** Attributes of an `input`, in the browser's own names. */
export interface Constraints {
  readonly minLength?: number
  readonly maxLength?: number
  readonly min?: number
  readonly max?: number
  readonly step?: number | 'any'
}

export interface SchemaField {
  readonly name: string
  /** Place of the value in the body of a request: the `path` of its errors. */
  readonly path: string
  readonly control: 'text' | 'number' | 'checkbox' | 'select'
  readonly label: string
  readonly help: string | null
  readonly example: string | null
  readonly isRequired: boolean
  /** The text of the control at first. */
  readonly initial: string
  /** Values of a `select`. */
  readonly options: readonly string[]
  readonly constraints: Constraints
}

/** Characters that the server takes as the value of a text, if the template does not say less. */
const TEXT_VALUE_MAX = 200

/** The fields of a form, in the order of the template. The server checks patterns: theirs is the syntax of RE2. */
export const fieldsOf = ({ properties, required = [] }: ParametersSchema): readonly SchemaField[] =>
  Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)))

function fieldOf(name: string, schema: ParameterSchema, isRequired: boolean): SchemaField {
  const control = controlOf(schema)
  const options = (schema.enum ?? []).map(String)
  const [example] = schema.examples ?? []
  return {
    name,
    path: `/parameters/${name}`,
    control,
    label: schema.title ?? labelOf(name),
    help: schema.description ?? null,
    example: example === undefined ? null : String(example),
    isRequired,
    initial: initialOf(schema, control),
    // Without a choice there has to be a way to make none.
    options: control === 'select' && schema.default === undefined ? ['', ...options] : options,
    constraints: constraintsOf(schema, control),
  }
}

function controlOf({ type, enum: choices }: ParameterSchema): SchemaField['control'] {
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

const initialOf = (schema: ParameterSchema, control: SchemaField['control']): string =>
  String(schema.default ?? (control === 'checkbox' ? 'false' : ''))

function constraintsOf(schema: ParameterSchema, control: SchemaField['control']): Constraints {
  if (control === 'text') {
    const { minLength = 0, maxLength = TEXT_VALUE_MAX } = schema
    return minLength > 0 ? { minLength, maxLength } : { maxLength }
  }
  if (control !== 'number') return {}
  return schema.type === 'integer' ? integerConstraints(schema) : numberConstraints(schema)
}

/** A bound that is excluded has no attribute; the server says it. */
const numberConstraints = ({ minimum, maximum }: ParameterSchema): Constraints => ({
  ...(minimum === undefined ? {} : { min: minimum }),
  ...(maximum === undefined ? {} : { max: maximum }),
  step: 'any',
})

/** A browser counts steps from `min`, so `min` is the first multiple. */
function integerConstraints(schema: ParameterSchema): Constraints {
  const step = schema.multipleOf ?? 1
  const least = Math.max(
    schema.minimum ?? -Infinity,
    schema.exclusiveMinimum === undefined ? -Infinity : Math.floor(schema.exclusiveMinimum) + 1,
  )
  const most = Math.min(
    schema.maximum ?? Infinity,
    schema.exclusiveMaximum === undefined ? Infinity : Math.ceil(schema.exclusiveMaximum) - 1,
  )
  return {
    ...(Number.isFinite(least) ? { min: Math.ceil(least / step) * step } : {}),
    ...(Number.isFinite(most) ? { max: Math.floor(most / step) * step } : {}),
    step,
  }
}

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
