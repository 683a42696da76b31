import { PLATFORM_GROUP } from '../people.ts'
import type { RequestAttributes } from './api/attributes.ts'
import type { Store } from './store.ts'
import { TEAM_LABEL } from './workloads/namespace.ts'

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

/** Groups of a team have the role in the namespaces that carry the team's label. */
const teamOf = (group: string): string => group.replace(/:Managers$/, '')

/** The roles and role bindings of the demo's clusters. */
export const createAuthorizer =
  (store: Pick<Store, 'get'>): Authorizer =>
  ({ groups }, { verb, group, resource, subresource, namespace = '' }) => {
    if (groups.includes(PLATFORM_GROUP)) return true
    const path = subresource === undefined ? resource : `${resource}/${subresource}`
    if (TEAM_RULES[`${path}.${group}`]?.includes(verb) !== true) return false
    const owner = store.get('namespaces', { name: namespace })?.metadata.labels?.[TEAM_LABEL]
    return owner !== undefined && groups.some((name) => teamOf(name) === owner)
  }
