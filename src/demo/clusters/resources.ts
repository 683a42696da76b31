import { podStatus } from '../../lib/domain/clusters/pod-status.ts'
import type { ApiObject, Job } from './objects.ts'

/** A served resource, as in discovery. */
export interface Resource {
  readonly name: string
  readonly kind: ApiObject['kind']
  readonly group: '' | 'apps' | 'batch' | 'networking.k8s.io' | 'autoscaling'
  readonly isClusterWide?: true
  readonly verbs: readonly string[]
  readonly shortName: string
}

const READ = ['get', 'list', 'watch']
const ROLLED_OUT = [...READ, 'patch']

export const resources: readonly Resource[] = [
  { name: 'pods', kind: 'Pod', group: '', verbs: READ, shortName: 'po' },
  { name: 'events', kind: 'Event', group: '', verbs: READ, shortName: 'ev' },
  {
    name: 'namespaces',
    kind: 'Namespace',
    group: '',
    verbs: READ,
    shortName: 'ns',
    isClusterWide: true,
  },
  {
    name: 'deployments',
    kind: 'Deployment',
    group: 'apps',
    verbs: ROLLED_OUT,
    shortName: 'deploy',
  },
  { name: 'replicasets', kind: 'ReplicaSet', group: 'apps', verbs: READ, shortName: 'rs' },
  { name: 'statefulsets', kind: 'StatefulSet', group: 'apps', verbs: ROLLED_OUT, shortName: 'sts' },
  { name: 'daemonsets', kind: 'DaemonSet', group: 'apps', verbs: ROLLED_OUT, shortName: 'ds' },
  { name: 'jobs', kind: 'Job', group: 'batch', verbs: READ, shortName: 'job' },
  { name: 'cronjobs', kind: 'CronJob', group: 'batch', verbs: READ, shortName: 'cj' },
  { name: 'services', kind: 'Service', group: '', verbs: READ, shortName: 'svc' },
  {
    name: 'ingresses',
    kind: 'Ingress',
    group: 'networking.k8s.io',
    verbs: READ,
    shortName: 'ing',
  },
  {
    name: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    group: 'autoscaling',
    verbs: READ,
    shortName: 'hpa',
  },
]

/** The one version that is served of a group. */
export const versionOf = (group: string): string => (group === 'autoscaling' ? 'v2' : 'v1')

export const apiVersionOf = ({ group }: Pick<Resource, 'group'>): string =>
  group === '' ? 'v1' : `${group}/${versionOf(group)}`

/** The name of a resource in messages: `pods`, `deployments.apps`. */
export const qualifiedName = (name: string, group: string): string =>
  group === '' ? name : `${name}.${group}`

const groupOf = (name: Resource['group']) => {
  const version = { groupVersion: apiVersionOf({ group: name }), version: versionOf(name) }
  return { name, versions: [version], preferredVersion: version }
}

const resourceList = (group: Resource['group']) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: apiVersionOf({ group }),
  resources: [
    ...resources
      .filter((each) => each.group === group)
      .map(({ name, kind, isClusterWide, verbs, shortName }) => ({
        name,
        singularName: kind.toLowerCase(),
        namespaced: isClusterWide !== true,
        kind,
        verbs,
        shortNames: [shortName],
      })),
    ...(group === ''
      ? [{ name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] }]
      : []),
  ],
})

const GROUPS = ['apps', 'batch', 'networking.k8s.io', 'autoscaling'] as const

/** The discovery documents by path: kubectl reads them first to learn resources and their names. */
export const discovery: Readonly<Record<string, object>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: GROUPS.map(groupOf) },
  '/api/v1': resourceList(''),
  ...Object.fromEntries(
    GROUPS.map((group) => [`/apis/${apiVersionOf({ group })}`, resourceList(group)]),
  ),
}

type Cell = readonly [string, string | number] | readonly [string, string | number, 'wide']

/** Kinds with columns of their own. kubectl itself prints name and age of the others. */
const TABLES: ReadonlySet<ApiObject['kind']> = new Set([
  'Pod',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
])

export const hasTable = ({ kind }: Pick<Resource, 'kind'>): boolean => TABLES.has(kind)

/** The cells of `kubectl get`: `pkg/printers/internalversion/printers.go` of Kubernetes. */
function cellsOf(object: ApiObject, now: number): readonly Cell[] {
  const { name, creationTimestamp } = object.metadata
  return [['Name', name], ...ownCells(object, now, ['Age', ageAt(creationTimestamp, now)])]
}

function ownCells(object: ApiObject, now: number, age: Cell): readonly Cell[] {
  switch (object.kind) {
    case 'Pod': {
      const { ready, status, restarts, lastRestartAt } = podStatus(object)
      const last = lastRestartAt === null ? '' : ` (${ageAt(lastRestartAt, now)} ago)`
      return [
        ['Ready', `${ready.ready}/${ready.total}`],
        ['Status', status],
        ['Restarts', `${restarts}${last}`],
        age,
        ['IP', object.status.podIP ?? '<none>', 'wide'],
        ['Node', object.spec.nodeName ?? '<none>', 'wide'],
      ]
    }
    case 'Deployment':
      return [
        ['Ready', `${object.status.readyReplicas ?? 0}/${object.spec.replicas}`],
        ['Up-to-date', object.status.updatedReplicas ?? 0],
        ['Available', object.status.availableReplicas ?? 0],
        age,
      ]
    case 'ReplicaSet':
      return [
        ['Desired', object.spec.replicas],
        ['Current', object.status.replicas],
        ['Ready', object.status.readyReplicas ?? 0],
        age,
      ]
    case 'StatefulSet':
      return [['Ready', `${object.status.readyReplicas ?? 0}/${object.spec.replicas ?? 0}`], age]
    case 'DaemonSet': {
      const labels = Object.entries(object.spec.template.spec?.nodeSelector ?? {})
      return [
        ['Desired', object.status.desiredNumberScheduled],
        ['Current', object.status.currentNumberScheduled],
        ['Ready', object.status.numberReady],
        ['Up-to-date', object.status.updatedNumberScheduled ?? 0],
        ['Available', object.status.numberAvailable ?? 0],
        ['Node Selector', labels.map((label) => label.join('=')).join(',') || '<none>'],
        age,
      ]
    }
    case 'Job':
      return [
        ['Status', jobStatus(object)],
        ['Completions', jobCompletions(object)],
        ['Duration', jobDuration(object, now)],
        age,
      ]
    case 'CronJob': {
      const { spec, status } = object
      const { lastScheduleTime } = status
      return [
        ['Schedule', spec.schedule],
        ['Timezone', spec.timeZone ?? '<none>'],
        ['Suspend', spec.suspend === true ? 'True' : 'False'],
        ['Active', (status.active ?? []).length],
        ['Last Schedule', lastScheduleTime == null ? '<none>' : ageAt(lastScheduleTime, now)],
        age,
      ]
    }
    case 'Event':
    case 'HorizontalPodAutoscaler':
    case 'Ingress':
    case 'Namespace':
    case 'Service':
      return [age]
  }
}

function jobStatus({ metadata, status }: Job): string {
  const holds = (type: string) =>
    status.conditions?.some((each) => each.type === type && each.status === 'True') === true
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  if (holds('Suspended')) return 'Suspended'
  if (holds('FailureTarget')) return 'FailureTarget'
  return 'Running'
}

function jobCompletions({ spec: { completions, parallelism = 0 }, status }: Job): string {
  const { succeeded = 0 } = status
  if (completions !== undefined) return `${succeeded}/${completions}`
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

const jobDuration = ({ status: { startTime, completionTime } }: Job, now: number): string =>
  startTime == null
    ? ''
    : ageAt(startTime, completionTime == null ? now : Date.parse(completionTime))

/** `meta.k8s.io/v1` Table: the API server prints the rows of `kubectl get`. Without it kubectl shows names and ages alone. */
export const tableOf = (objects: readonly ApiObject[], metadata: object, now: number) => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
  columnDefinitions: (objects[0] === undefined ? [] : cellsOf(objects[0], now)).map(
    ([name, value, wide]) => ({
      name,
      type: typeof value === 'number' ? 'integer' : 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide === undefined ? 0 : 1,
    }),
  ),
  rows: objects.map((object) => ({
    cells: cellsOf(object, now).map(([, value]) => value),
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: object.metadata,
    },
  })),
})

/** An age in two units at most, as kubectl prints it: `5m12s`, `3d4h`, `26d`. */
function ageAt(since: string, now: number): string {
  const seconds = Math.max(Math.trunc((now - Date.parse(since)) / 1_000), 0)
  if (seconds < 120) return `${seconds}s`
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)]
  if (minutes < 180) return minutes < 10 ? `${minutes}m${seconds % 60}s` : `${minutes}m`
  if (hours < 48) return hours < 8 ? `${hours}h${minutes % 60}m` : `${hours}h`
  return hours < 192 ? `${Math.floor(hours / 24)}d${hours % 24}h` : `${Math.floor(hours / 24)}d`
}
