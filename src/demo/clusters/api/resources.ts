import type { Resource } from '../objects.ts'

/** The served resources, as in discovery. */
interface ResourceFacts {
  readonly group: '' | 'apps'
  readonly kind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly namespaced: boolean
  readonly categories: readonly string[]
}

export const resources = {
  pods: {
    group: '',
    kind: 'Pod',
    singular: 'pod',
    shortNames: ['po'],
    namespaced: true,
    categories: ['all'],
  },
  namespaces: {
    group: '',
    kind: 'Namespace',
    singular: 'namespace',
    shortNames: ['ns'],
    namespaced: false,
    categories: [],
  },
  events: {
    group: '',
    kind: 'Event',
    singular: 'event',
    shortNames: ['ev'],
    namespaced: true,
    categories: [],
  },
  deployments: {
    group: 'apps',
    kind: 'Deployment',
    singular: 'deployment',
    shortNames: ['deploy'],
    namespaced: true,
    categories: ['all'],
  },
  replicasets: {
    group: 'apps',
    kind: 'ReplicaSet',
    singular: 'replicaset',
    shortNames: ['rs'],
    namespaced: true,
    categories: ['all'],
  },
} as const satisfies Record<Resource, ResourceFacts>

export const isResource = (name: string): name is Resource => Object.hasOwn(resources, name)

export const versionOf = (resource: Resource): 'v1' | 'apps/v1' =>
  resources[resource].group === '' ? 'v1' : 'apps/v1'

/** The name of a resource in messages: `pods`, `deployments.apps`. */
export const qualifiedName = (resource: string, group: string): string =>
  group === '' ? resource : `${resource}.${group}`
