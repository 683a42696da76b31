import { err, ok, type Result } from '../../../result.ts'
import { compilePattern } from './pattern.ts'
import type { ParameterSchema, ParametersSchema } from './schema.ts'
import { type Parameter, type ParameterType, typeOf, valueFault } from './value.ts'

/** A mistake of a template, at its place in `parameters`. */
export interface SchemaFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Keywords that only some types have. */
const KEYWORDS_OF: Readonly<Record<ParameterType, readonly (keyof ParameterSchema)[]>> = {
  string: ['enum', 'minLength', 'maxLength', 'pattern'],
  integer: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  boolean: [],
}
const TYPED = [...new Set(Object.values(KEYWORDS_OF).flat())]

/** The mistakes that the schema of `parameters` cannot express: the first one of each parameter. */
export async function parametersFaults({
  properties,
  required = [],
}: ParametersSchema): Promise<readonly SchemaFault[]> {
  const faults: SchemaFault[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const fault = await parameterFault(schema, required.includes(name))
    if (fault !== undefined) {
      const { path, message } = fault
      faults.push({
        path: ['properties', name, ...path],
        message: `${[name, ...path].join('.')} ${message}`,
      })
    }
  }
  for (const [index, name] of required.entries()) {
    const path = ['required', index]
    if (!Object.hasOwn(properties, name)) {
      faults.push({ path, message: 'required names a parameter that properties does not have' })
    }
    if (required.indexOf(name) < index) {
      faults.push({ path, message: 'required names a parameter twice' })
    }
  }
  return faults
}

/** The parameter of a schema, or the first mistake in it. */
export async function readParameter(
  schema: ParameterSchema,
): Promise<Result<Parameter, SchemaFault>> {
  const at = (keyword: keyof ParameterSchema, message: string) => err({ path: [keyword], message })
  const type = typeOf(schema)
  if (type === undefined) {
    const message = 'needs a type: string, integer, number or boolean, the same for all its choices'
    return err({ path: [], message })
  }
  const known = KEYWORDS_OF[type]
  const foreign = TYPED.find((keyword) => schema[keyword] !== undefined && !known.includes(keyword))
  if (foreign !== undefined) return at(foreign, `is not for parameters of type ${type}`)
  if ((schema.minLength ?? 0) > (schema.maxLength ?? Infinity)) {
    return at('minLength', 'is more than maxLength')
  }
  if (isEmptyRange(schema)) {
    const low = schema.minimum === undefined ? 'exclusiveMinimum' : 'minimum'
    return at(low, 'leaves no number below the maximum')
  }
  if (schema.pattern === undefined) return ok({ type, schema, pattern: null })
  const pattern = await compilePattern(schema.pattern)
  return pattern.ok ? ok({ type, schema, pattern: pattern.value }) : at('pattern', pattern.error)
}

async function parameterFault(
  schema: ParameterSchema,
  isRequired: boolean,
): Promise<SchemaFault | undefined> {
  const read = await readParameter(schema)
  if (!read.ok) return read.error
  const parameter = read.value
  const { enum: choices = [], examples = [], default: fallback } = schema
  const repeated = choices.findIndex((choice, index) => choices.indexOf(choice) < index)
  if (repeated >= 0) return { path: ['enum', repeated], message: 'is there twice' }
  const values = [
    ...choices.map((value, index) => ({ path: ['enum', index], value })),
    ...examples.map((value, index) => ({ path: ['examples', index], value })),
    ...(fallback === undefined ? [] : [{ path: ['default'], value: fallback }]),
  ]
  for (const { path, value } of values) {
    const fault = valueFault(parameter, value)
    if (fault !== undefined) return { path, message: fault.message }
  }
  if (fallback === undefined && !isRequired && parameter.type !== 'string') {
    return { path: [], message: 'needs a default, or has to be required' }
  }
  return undefined
}

function isEmptyRange({
  minimum = -Infinity,
  maximum = Infinity,
  exclusiveMinimum = -Infinity,
  exclusiveMaximum = Infinity,
}: ParameterSchema): boolean {
  return (
    minimum > maximum ||
    minimum >= exclusiveMaximum ||
    exclusiveMinimum >= maximum ||
    exclusiveMinimum >= exclusiveMaximum
  )
}
