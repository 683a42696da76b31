import type { TSchema } from 'typebox'
import { Pointer, Value } from 'typebox/value'
import type { Resource } from '../objects.ts'
import type { RequestAttributes } from './attributes.ts'
import { refuse, type RefusalResult } from './refusal.ts'
import { qualifiedName, resources } from './resources.ts'

/** Refusals that name what they are about, in the words of Kubernetes. */

export function forbidden(username: string, attributes: RequestAttributes): RefusalResult {
  const { verb, group, resource, subresource, namespace, name } = attributes
  const what = qualifiedName(resource, group) + (name === undefined ? '' : ` "${name}"`)
  const path = subresource === undefined ? resource : `${resource}/${subresource}`
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return refuse(
    403,
    'Forbidden',
    `${what} is forbidden: User "${username}" cannot ${verb} resource "${path}" in API group "${group}" ${where}`,
    { details: { ...(name && { name }), ...(group && { group }), kind: resource } },
  )
}

const about = (resource: Resource, name: string) => ({
  name,
  ...(resources[resource].group !== '' && { group: resources[resource].group }),
  kind: resource,
})
const title = (resource: Resource) => qualifiedName(resource, resources[resource].group)

export const notFound = (resource: Resource, name: string): RefusalResult =>
  refuse(404, 'NotFound', `${title(resource)} "${name}" not found`, {
    details: about(resource, name),
  })

export const conflict = (resource: Resource, name: string, why: string): RefusalResult =>
  refuse(409, 'Conflict', `Operation cannot be fulfilled on ${title(resource)} "${name}": ${why}`, {
    details: about(resource, name),
  })

export interface Cause {
  readonly reason: 'FieldValueInvalid' | 'FieldValueForbidden'
  readonly field: string
  readonly message: string
}

/** What a schema has to say against the member `root` of an object. */
export const causesOf = (root: string, schema: TSchema, value: unknown): readonly Cause[] =>
  Value.Errors(schema, value).map(({ instancePath, message }) =>
    invalidValue(
      `${root}${instancePath.replaceAll('/', '.')}`,
      Pointer.Get(value, instancePath),
      message.replace('>=', 'greater than or equal to').replace('<=', 'less than or equal to'),
    ),
  )

/** Kubernetes shows what is there; of objects and lists this says only what is wrong with them. */
export const invalidValue = (field: string, value: unknown, why: string): Cause => {
  const isShown = value !== undefined && typeof value !== 'object'
  const message = `Invalid value: ${isShown ? `${JSON.stringify(value)}: ` : ''}${why}`
  return { reason: 'FieldValueInvalid', field, message }
}

/** Values that the schema or a rule of the kind does not allow. */
export function invalid(
  { kind, group }: { readonly kind: string; readonly group: string },
  name: string,
  causes: readonly Cause[],
): RefusalResult {
  const list = causes.map(({ field, message }) => `${field}: ${message}`)
  const text = list.length === 1 ? (list[0] ?? '') : `[${list.join(', ')}]`
  return refuse(422, 'Invalid', `${qualifiedName(kind, group)} "${name}" is invalid: ${text}`, {
    details: { name, ...(group && { group }), kind, causes },
  })
}
