import { err, ok, type Result } from '../../../result.ts'
import { compilePattern } from './pattern.ts'
import type { ParameterSchema, ParametersSchema } from './schema.ts'
import { type Parameter, type Parameters, type ParameterType, typeOf, valueFault } from './value.ts'

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

/** The parameters of a template, or the mistakes that the schema of `parameters` cannot express: the first one of each parameter. */
export async function readParameters(
  schema: ParametersSchema,
): Promise<Result<Parameters, readonly SchemaFault[]>> {
  const { properties, required = [] } = schema
  const byName = new Map<string, Parameter>()
  const faults: SchemaFault[] = []
  for (const [name, property] of Object.entries(properties)) {
    const parameter = await readParameter(property, required.includes(name))
    const fault = parameter.ok ? faultOf(parameter.value) : parameter.error
    if (fault !== undefined) {
      const { path, message } = fault
      faults.push({
        path: ['properties', name, ...path],
        message: `${[name, ...path].join('.')} ${message}`,
      })
    } else if (parameter.ok) byName.set(name, parameter.value)
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
  return faults.length === 0 ? ok({ schema, byName }) : err(faults)
}

/** The parameter of a schema, or the first mistake in its keywords. */
async function readParameter(
  schema: ParameterSchema,
  isRequired: boolean,
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
  if (schema.pattern === undefined) return ok({ type, schema, isRequired, pattern: null })
  const pattern = await compilePattern(schema.pattern)
  return pattern.ok
    ? ok({ type, schema, isRequired, pattern: pattern.value })
    : at('pattern', pattern.error)
}

/** The first mistake in the values of a parameter's schema. */
function faultOf(parameter: Parameter): SchemaFault | undefined {
  const { type, schema, isRequired } = parameter
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
  if (fallback === undefined && !isRequired && type !== 'string') {
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
