import type { FieldError } from '../../../schema/field-error.ts'
import { readParameter } from './fault.ts'
import { PARAMETER_NAME, type ParametersSchema, type ParameterValue } from './schema.ts'
import { valueFault } from './value.ts'

export type ParameterValues = Readonly<Record<string, ParameterValue>>

export interface ResolvedParameters {
  /** A value for every parameter, if there are no faults. */
  readonly values: ParameterValues
  readonly faults: readonly FieldError[]
}

/** Unknown names that are told one by one, as many as other faults: a body has room for thousands, and each is told all known ones. */
const UNKNOWN_MAX = 100

const NAME = new RegExp(`^${PARAMETER_NAME}$`)

/**
 * The values of a request, by default those of the template; a text that is not required and has no default is empty. A name that the
 * template does not know is most likely a misspelt one, and a fault.
 */
export async function resolveParameters(
  { properties, required = [] }: Pick<ParametersSchema, 'properties' | 'required'> = {
    properties: {},
  },
  given: Readonly<Record<string, unknown>>,
): Promise<ResolvedParameters> {
  const values: [string, ParameterValue][] = []
  const faults: FieldError[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const path = `/parameters/${name}`
    if (!Object.hasOwn(given, name)) {
      const value = schema.default ?? (required.includes(name) ? undefined : '')
      if (value !== undefined) values.push([name, value])
      else faults.push({ path, rule: 'required', message: 'is required' })
      continue
    }
    const parameter = await readParameter(schema)
    if (!parameter.ok) throw new Error('the schema of a listed template has a mistake')
    const value = given[name]
    const fault = valueFault(parameter.value, value)
    if (fault !== undefined) faults.push({ path, ...fault })
    else if (isValue(value)) values.push([name, value])
  }
  return {
    values: Object.fromEntries(values),
    faults: [...faults, ...unknownNames(Object.keys(properties), Object.keys(given))],
  }
}

const isValue = (value: unknown): value is ParameterValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** A name that cannot be one is not echoed. */
function unknownNames(known: readonly string[], given: readonly string[]): readonly FieldError[] {
  const unknown = given.filter((name) => !known.includes(name))
  const paths = new Set(
    unknown.map((name) => (NAME.test(name) ? `/parameters/${name}` : '/parameters')),
  )
  const names = known.length === 0 ? 'which has none' : `which has ${known.join(', ')}`
  return [...paths].slice(0, UNKNOWN_MAX).map((path) => ({
    path,
    rule: 'unknown' as const,
    message: `is not a parameter of this template, ${names}`,
  }))
}
