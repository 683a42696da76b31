import type { TSchema } from 'typebox'
import { Pointer, Value } from 'typebox/value'
import type { Resource } from '../objects.ts'
import type { RequestAttributes } from './attributes.ts'
import { refuse, type RefusalResult } from './refusal.ts'
import { qualifiedName, resources } from './resources.ts'

/** Refusals about an object, with the texts and details of Kubernetes. */

export function forbidden(username: string, attributes: RequestAttributes): RefusalResult {
  const { verb, group, resource, subresource, namespace, name } = attributes
  const subject = qualifiedName(resource, group) + (name === undefined ? '' : ` "${name}"`)
  const path = subresource === undefined ? resource : `${resource}/${subresource}`
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return refuse(
    403,
    'Forbidden',
    `${subject} is forbidden: User "${username}" cannot ${verb} resource "${path}" in API group "${group}" ${scope}`,
    { details: { ...(name && { name }), ...(group && { group }), kind: resource } },
  )
}

const detailsOf = (resource: Resource, name: string) => ({
  name,
  ...(resources[resource].group !== '' && { group: resources[resource].group }),
  kind: resource,
})
const title = (resource: Resource) => qualifiedName(resource, resources[resource].group)

export const notFound = (resource: Resource, name: string): RefusalResult =>
  refuse(404, 'NotFound', `${title(resource)} "${name}" not found`, {
    details: detailsOf(resource, name),
  })

export const conflict = (resource: Resource, name: string, reason: string): RefusalResult =>
  refuse(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${title(resource)} "${name}": ${reason}`,
    {
      details: detailsOf(resource, name),
    },
  )

export interface Cause {
  readonly reason: 'FieldValueInvalid' | 'FieldValueForbidden'
  readonly field: string
  readonly message: string
}

/** The schema errors of a value. `root` is the member of the object that has the value. */
export const causesOf = (root: string, schema: TSchema, value: unknown): readonly Cause[] =>
  Value.Errors(schema, value).map(({ instancePath, message }) =>
    invalidValue(
      `${root}${instancePath.replaceAll('/', '.')}`,
      Pointer.Get(value, instancePath),
      message.replace('>=', 'greater than or equal to').replace('<=', 'less than or equal to'),
    ),
  )

/** Shows scalar values as Kubernetes does; objects and lists are left out. */
export const invalidValue = (field: string, value: unknown, problem: string): Cause => {
  const isShown = value !== undefined && typeof value !== 'object'
  const message = `Invalid value: ${isShown ? `${JSON.stringify(value)}: ` : ''}${problem}`
  return { reason: 'FieldValueInvalid', field, message }
}

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
