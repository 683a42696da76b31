import { podStatus } from '../../../lib/domain/clusters/pod-status.ts'
import type { Deployment, Kinds, Metadata, Pod, ReplicaSet, Resource } from '../objects.ts'
import { age } from './age.ts'

/** A column of `kubectl get`. */
export interface Column<Kind> {
  readonly name: string
  readonly cell: (object: Kind, now: number) => string | number
  readonly type?: 'integer'
  /** Shown with `-o wide` only. */
  readonly isWide?: true
}

const NONE = '<none>'

const nameColumn: Column<{ metadata: Metadata }> = {
  name: 'Name',
  cell: ({ metadata }) => metadata.name,
}
const ageColumn: Column<{ metadata: Metadata }> = {
  name: 'Age',
  cell: ({ metadata }, now) => age(metadata.creationTimestamp, now),
}

function restartsOf(pod: Pod, now: number): string {
  const { restarts, lastRestartAt } = podStatus(pod)
  return lastRestartAt === null ? String(restarts) : `${restarts} (${age(lastRestartAt, now)} ago)`
}

function readyOf(pod: Pod): string {
  const { ready, total } = podStatus(pod).ready
  return `${ready}/${total}`
}

const containersOf = ({ spec }: Deployment | ReplicaSet) => spec.template.spec?.containers ?? []

const templateColumns: readonly Column<Deployment | ReplicaSet>[] = [
  {
    name: 'Containers',
    isWide: true,
    cell: (owner) =>
      containersOf(owner)
        .map(({ name }) => name)
        .join(','),
  },
  {
    name: 'Images',
    isWide: true,
    cell: (owner) =>
      containersOf(owner)
        .map(({ image }) => image)
        .join(','),
  },
  {
    name: 'Selector',
    isWide: true,
    cell: ({ spec }) =>
      Object.entries(spec.selector.matchLabels ?? {})
        .map((label) => label.join('='))
        .join(','),
  },
]

export const columns: { readonly [Of in Resource]: readonly Column<Kinds[Of]>[] } = {
  pods: [
    nameColumn,
    { name: 'Ready', cell: readyOf },
    { name: 'Status', cell: (pod) => podStatus(pod).status },
    { name: 'Restarts', cell: restartsOf },
    ageColumn,
    { name: 'IP', isWide: true, cell: ({ status }) => status.podIP ?? NONE },
    { name: 'Node', isWide: true, cell: ({ spec }) => spec.nodeName ?? NONE },
    { name: 'Nominated Node', isWide: true, cell: () => NONE },
    { name: 'Readiness Gates', isWide: true, cell: () => NONE },
  ],
  deployments: [
    nameColumn,
    { name: 'Ready', cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas}` },
    { name: 'Up-to-date', type: 'integer', cell: ({ status }) => status.updatedReplicas ?? 0 },
    { name: 'Available', type: 'integer', cell: ({ status }) => status.availableReplicas ?? 0 },
    ageColumn,
    ...templateColumns,
  ],
  replicasets: [
    nameColumn,
    { name: 'Desired', type: 'integer', cell: ({ spec }) => spec.replicas },
    { name: 'Current', type: 'integer', cell: ({ status }) => status.replicas },
    { name: 'Ready', type: 'integer', cell: ({ status }) => status.readyReplicas ?? 0 },
    ageColumn,
    ...templateColumns,
  ],
  namespaces: [nameColumn, { name: 'Status', cell: ({ status }) => status.phase ?? '' }, ageColumn],
  events: [
    { name: 'Last Seen', cell: ({ lastTimestamp }, now) => age(lastTimestamp, now) },
    { name: 'Type', cell: ({ type }) => type ?? '' },
    { name: 'Reason', cell: ({ reason }) => reason ?? '' },
    {
      name: 'Object',
      cell: ({ involvedObject: { kind = '', name } }) => `${kind.toLowerCase()}/${name}`,
    },
    {
      name: 'Subobject',
      isWide: true,
      cell: ({ involvedObject }) => involvedObject.fieldPath ?? '',
    },
    {
      name: 'Source',
      isWide: true,
      cell: ({ source }) => [source?.component, source?.host].filter(Boolean).join(', '),
    },
    { name: 'Message', cell: ({ message }) => (message ?? '').trim() },
    {
      name: 'First Seen',
      isWide: true,
      cell: ({ firstTimestamp }, now) => age(firstTimestamp, now),
    },
    { name: 'Count', type: 'integer', isWide: true, cell: ({ count }) => count ?? 1 },
    { ...nameColumn, isWide: true },
  ],
}
