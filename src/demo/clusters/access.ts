import { PLATFORM_GROUP } from '../people.ts'
import type { Attributes } from './api/attributes.ts'

/** Whom an API server takes the bearer of a token for. */
export interface ClusterUser {
  readonly username: string
  readonly groups: readonly string[]
}

export type Allows = (user: ClusterUser, attributes: Attributes) => boolean

const READ = ['get', 'list', 'watch']

/** What a team may do in its namespaces, by `resource.group` with its subresource. */
const TEAM_RULES: Readonly<Record<string, readonly string[]>> = {
  'pods.': READ,
  'pods/log.': READ,
  'events.': READ,
  'deployments.apps': [...READ, 'patch'],
  'replicasets.apps': READ,
}

const NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  payments: ['payments-dev', 'payments'],
  'payments:Managers': ['payments-dev', 'payments'],
  shipping: ['shipping-dev', 'shipping'],
}

/** The roles and bindings of the demo's clusters. */
export const allows: Allows = ({ groups }, attributes) => {
  if (groups.includes(PLATFORM_GROUP)) return true
  const { verb, group, resource, subresource, namespace = '' } = attributes
  const path = subresource === undefined ? resource : `${resource}/${subresource}`
  return (
    (TEAM_RULES[`${path}.${group}`]?.includes(verb) ?? false) &&
    groups.some((name) => Object.hasOwn(NAMESPACES, name) && NAMESPACES[name]?.includes(namespace))
  )
}
