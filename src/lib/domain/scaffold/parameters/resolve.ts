import type { FieldError } from '../../../schema/field-error.ts'
import { PARAMETER_NAME, type ParameterValue } from './schema.ts'
import { type Parameter, type Parameters, valueFault } from './value.ts'

export type ParameterValues = Readonly<Record<string, ParameterValue>>

export interface ResolvedParameters {
  /** A value for every parameter, if there are no faults. */
  readonly values: ParameterValues
  readonly faults: readonly FieldError[]
}

/** Unknown names that are told one by one, as many as other faults: a body has room for thousands, and each is told all known ones. */
const UNKNOWN_MAX = 100

const NO_PARAMETERS: ReadonlyMap<string, Parameter> = new Map()
const NAME = new RegExp(`^${PARAMETER_NAME}$`)

/**
 * The values of a request, by default those of the template; a text that is not required and has no default is empty. A name that the
 * template does not know is most likely a misspelt one, and a fault.
 */
export function resolveParameters(
  parameters: Parameters | undefined,
  given: Readonly<Record<string, unknown>>,
): ResolvedParameters {
  const byName = parameters?.byName ?? NO_PARAMETERS
  const values: [string, ParameterValue][] = []
  const faults: FieldError[] = []
  for (const [name, parameter] of byName) {
    const path = `/parameters/${name}`
    if (!Object.hasOwn(given, name)) {
      const value = parameter.schema.default ?? (parameter.isRequired ? undefined : '')
      if (value !== undefined) values.push([name, value])
      else faults.push({ path, rule: 'required', message: 'is required' })
      continue
    }
    const value = given[name]
    const fault = valueFault(parameter, value)
    if (fault !== undefined) faults.push({ path, ...fault })
    else if (isValue(value)) values.push([name, value])
  }
  return {
    values: Object.fromEntries(values),
    faults: [...faults, ...unknownNames([...byName.keys()], Object.keys(given))],
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
