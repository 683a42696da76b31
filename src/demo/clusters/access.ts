import { PLATFORM_GROUP } from '../people.ts'
import type { RequestAttributes } from './api/attributes.ts'

/** The user that a bearer token authenticates. */
export interface ClusterUser {
  readonly username: string
  readonly groups: readonly string[]
}

export type Authorizer = (user: ClusterUser, attributes: RequestAttributes) => boolean

const READ = ['get', 'list', 'watch']

/** Verbs that a team is allowed in its own namespaces, by `resource/subresource.group`. */
const TEAM_RULES: Readonly<Record<string, readonly string[]>> = {
  'pods.': READ,
  'pods/log.': READ,
  'events.': READ,
  'deployments.apps': [...READ, 'patch'],
  'replicasets.apps': READ,
}

const NAMESPACES_OF_GROUP: Readonly<Record<string, readonly string[]>> = {
  payments: ['payments-dev', 'payments'],
  'payments:Managers': ['payments-dev', 'payments'],
  shipping: ['shipping-dev', 'shipping'],
}

/** The roles and role bindings of the demo's clusters. */
export const allows: Authorizer = ({ groups }, attributes) => {
  if (groups.includes(PLATFORM_GROUP)) return true
  const { verb, group, resource, subresource, namespace = '' } = attributes
  const path = subresource === undefined ? resource : `${resource}/${subresource}`
  return (
    (TEAM_RULES[`${path}.${group}`]?.includes(verb) ?? false) &&
    groups.some(
      (name) =>
        Object.hasOwn(NAMESPACES_OF_GROUP, name) && NAMESPACES_OF_GROUP[name]?.includes(namespace),
    )
  )
}
