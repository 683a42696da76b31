import type {
  Deployment,
  Kinds,
  Metadata,
  Namespace,
  Pod,
  ReplicaSet,
  Resource,
} from '../objects.ts'
import { age } from './age.ts'
import { type Column, count, text, title, wide } from './column.ts'
import { eventColumns } from './event-columns.ts'
import { summarize } from './pod-summary.ts'

type Named = { readonly metadata: Metadata }

const nameColumn = title<Named>('Name', ({ metadata }) => metadata.name)
const ageColumn = text<Named>('Age', ({ metadata }, now) => age(metadata.creationTimestamp, now))

const NONE = '<none>'

function restarts(pod: Pod, now: number): string {
  const { restarts: times, lastRestartAt } = summarize(pod)
  return times > 0 && lastRestartAt !== undefined
    ? `${times} (${age(lastRestartAt, now)} ago)`
    : String(times)
}

const pods: readonly Column<Pod>[] = [
  nameColumn,
  text('Ready', (pod) => {
    const { ready, total } = summarize(pod)
    return `${ready}/${total}`
  }),
  text('Status', (pod) => summarize(pod).status),
  text('Restarts', restarts),
  ageColumn,
  wide(text('IP', ({ status }) => status.podIP ?? NONE)),
  wide(text('Node', ({ spec }) => spec.nodeName ?? NONE)),
  wide(text('Nominated Node', ({ status }) => status.nominatedNodeName ?? NONE)),
  wide(text('Readiness Gates', () => NONE)),
]

const containersOf = ({ spec }: Deployment | ReplicaSet) => spec.template.spec?.containers ?? []
const selectorOf = ({ spec }: Deployment | ReplicaSet) =>
  Object.entries(spec.selector.matchLabels ?? {})
    .map((pair) => pair.join('='))
    .join(',')

const templateColumns: readonly Column<Deployment | ReplicaSet>[] = [
  wide(
    text('Containers', (object) =>
      containersOf(object)
        .map(({ name }) => name)
        .join(','),
    ),
  ),
  wide(
    text('Images', (object) =>
      containersOf(object)
        .map(({ image }) => image)
        .join(','),
    ),
  ),
  wide(text('Selector', selectorOf)),
]

const deployments: readonly Column<Deployment>[] = [
  nameColumn,
  text('Ready', ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas}`),
  count('Up-to-date', ({ status }) => status.updatedReplicas ?? 0),
  count('Available', ({ status }) => status.availableReplicas ?? 0),
  ageColumn,
  ...templateColumns,
]

const replicasets: readonly Column<ReplicaSet>[] = [
  nameColumn,
  count('Desired', ({ spec }) => spec.replicas),
  count('Current', ({ status }) => status.replicas),
  count('Ready', ({ status }) => status.readyReplicas ?? 0),
  ageColumn,
  ...templateColumns,
]

const namespaces: readonly Column<Namespace>[] = [
  nameColumn,
  text('Status', ({ status }) => status.phase ?? ''),
  ageColumn,
]

export const columns: { readonly [Of in Resource]: readonly Column<Kinds[Of]>[] } = {
  pods,
  deployments,
  replicasets,
  namespaces,
  events: eventColumns,
}
