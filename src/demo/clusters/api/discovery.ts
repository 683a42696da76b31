import type { Resource } from '../objects.ts'
import { isResource, resources, versionOf } from './resources.ts'

/** The API discovery documents: kubectl reads them first to learn resources, their names and verbs. */

const VERBS = ['get', 'list', 'patch', 'watch']

const names = Object.keys(resources).filter(isResource)

function describe(resource: Resource) {
  const { kind, singular, namespaced, shortNames, categories } = resources[resource]
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs: VERBS,
    shortNames,
    ...(categories.length > 0 && { categories }),
  }
}

const podLog = { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] }

const resourceList = (groupVersion: 'v1' | 'apps/v1') => ({
  kind: 'APIResourceList',
  ...(groupVersion !== 'v1' && { apiVersion: 'v1' }),
  groupVersion,
  resources: [
    ...names.filter((name) => versionOf(name) === groupVersion).map(describe),
    ...(groupVersion === 'v1' ? [podLog] : []),
  ],
})

const accessReviews = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'authorization.k8s.io/v1',
  resources: [
    {
      name: 'selfsubjectaccessreviews',
      singularName: 'selfsubjectaccessreview',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    },
  ],
}

function groupOf(name: string) {
  const version = { groupVersion: `${name}/v1`, version: 'v1' }
  return { name, versions: [version], preferredVersion: version }
}
const apps = groupOf('apps')
const authorization = groupOf('authorization.k8s.io')
const group = (facts: object) => ({ kind: 'APIGroup', apiVersion: 'v1', ...facts })

/** Documents by path. */
export const discovery: ReadonlyMap<string, object> = new Map<string, object>([
  [
    '/api',
    {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
    },
  ],
  ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [apps, authorization] }],
  ['/apis/apps', group(apps)],
  ['/apis/authorization.k8s.io', group(authorization)],
  ['/api/v1', resourceList('v1')],
  ['/apis/apps/v1', resourceList('apps/v1')],
  ['/apis/authorization.k8s.io/v1', accessReviews],
])
