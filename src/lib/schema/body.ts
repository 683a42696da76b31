import type { Validator } from 'typebox/compile'
import { isObject } from '../text/json.ts'
import { type FieldError, schemaFaults } from './field-error.ts'

/**
 * The members of a body that its schema has, and every fault of the body. A member that nobody knows is ignored; one that the schema has
 * at another level would be dropped in silence, and is a fault. Keys of maps are no members.
 */
export function readBody(
  schema: Pick<Validator, 'Clean' | 'Errors' | 'Type'>,
  body: unknown,
): { readonly value: unknown; readonly faults: readonly FieldError[] } {
  // Before `Clean`, which drops them.
  const misplaced = misplacedFaults(schema.Type(), body)
  const value: unknown = schema.Clean(body)
  return { value, faults: [...misplaced, ...schemaFaults(schema, value)] }
}

function misplacedFaults(schema: unknown, body: unknown): readonly FieldError[] {
  const places = Map.groupBy(membersOf(schema, ''), ({ name }) => name)
  const faultsAt = (inner: unknown, value: unknown, path: string): readonly FieldError[] => {
    const properties = propertiesOf(inner)
    if (properties === undefined || !isObject(value)) return []
    return Object.entries(value).flatMap(([name, member]) => {
      const at = `${path}/${name}`
      if (Object.hasOwn(properties, name)) return faultsAt(properties[name], member, at)
      const others = places.get(name)?.map((place) => place.path)
      return others === undefined
        ? []
        : [{ path: at, rule: 'misplaced', message: `belongs at ${others.join(' or ')}` }]
    })
  }
  return faultsAt(schema, body, '')
}

/** Every member of a schema, at every level. */
const membersOf = (
  schema: unknown,
  path: string,
): readonly { readonly name: string; readonly path: string }[] =>
  Object.entries(propertiesOf(schema) ?? {}).flatMap(([name, member]) => {
    const at = `${path}/${name}`
    return [{ name, path: at }, ...membersOf(member, at)]
  })

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> | undefined =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : undefined
