import type { ClusterFailure, Kubernetes } from '../../../ports/clusters.ts'
import { err, ok, type ValueOf } from '../../../result.ts'
import type { GrantedAccess } from '../access.ts'
import { withReadDeadline } from '../all-pages.ts'
import { readEventsOf } from '../events.ts'
import type { PodView } from '../pod.ts'
import {
  newestRuns,
  type OwnPod,
  type Part,
  readFamily,
  type Refusable,
  uidsOf,
  type WorkloadFailure,
  type WorkloadName,
} from './family.ts'
import { joinWorkloads, type Workload } from './join.ts'
import { readNeighbours, type Revision } from './neighbours.ts'
import type { PodFacts } from './pod-facts.ts'
import { isAbsent } from './read-workloads.ts'
import type { WorkloadFacts } from './workload.ts'

const EVENTS_MAX = 500
const PODS_MAX = 1_000
const REVISIONS_MAX = 100
/** Pods of a workload are labelled alike. Each set is compared with every service and budget of the namespace. */
const LABEL_SETS_MAX = 100

export type WorkloadDetail = ValueOf<Awaited<ReturnType<typeof readWorkloadDetail>>>

/** A workload with all that belongs to it and stands around it, as the person may read it. */
export async function readWorkloadDetail(
  kubernetes: Pick<Kubernetes, 'objects' | 'events'>,
  given: GrantedAccess,
  named: WorkloadName,
) {
  const access = withReadDeadline(given)
  const found = await readFamily(kubernetes, access, named)
  if (!found.ok) return found
  const { root, podLabels, conditions } = found.value
  const refused = new Set<Refusable>()
  const failures: ClusterFailure[] = []
  const part: Part = async (member, reading) => {
    const answer = await reading
    if (answer.ok) return answer.value
    if (isAbsent(answer.error)) refused.add(member)
    else failures.push(answer.error)
    return null
  }
  const isCronJob = named.type === 'cronjob'
  const parts = await part(isCronJob ? 'runs' : 'revisions', found.value.parts)
  const pods = await part('pods', found.value.pods)
  const own = pods ?? []
  const newest = newestPod(own)
  const [events, around] = await Promise.all([
    part('events', readEventsOf(kubernetes, access, uidsOf(found.value), EVENTS_MAX)),
    readNeighbours(
      kubernetes,
      access,
      {
        root,
        labels: own.length === 0 ? [podLabels ?? root.labels] : labelSetsOf(own),
        claims: new Set(own.flatMap(({ claims }) => claims)),
        measured: newest?.facts.name ?? null,
      },
      part,
    ),
  ])
  const [failure] = failures
  if (failure !== undefined) return err(failure)

  const now = given.now()
  const podsFacts = pods?.map(({ facts }) => facts) ?? null
  const workload = joinWorkloads(
    { workloads: [root, ...(parts ?? [])], pods: podsFacts },
    now,
  ).find(({ uid }) => uid === root.uid)
  if (workload === undefined) return err<WorkloadFailure>({ kind: 'workload_not_found' })
  const { usage, templates, ...neighbours } = around
  if (neighbours.services === null) refused.add('routes')
  return ok({
    workload,
    conditions,
    newestPod: newest && {
      name: newest.facts.name,
      qosClass: newest.qosClass,
      conditions: newest.conditions,
    },
    pods: pods?.slice(0, PODS_MAX).map(({ view }) => view) ?? null,
    containers:
      pods &&
      (newest?.containers ?? []).map((each) => ({ ...each, usage: usage?.get(each.name) ?? null })),
    events,
    revisions: newestFirst(
      named.type === 'deployment' ? parts && revisionsOf(root, parts) : templates,
    ),
    runs: isCronJob ? parts && runsOf(parts, podsFacts, now) : [],
    ...neighbours,
    refused: [...refused],
  })
}

const labelSetsOf = (pods: readonly OwnPod[]): readonly PodView['labels'][] => {
  const sets = new Map(pods.map(({ view: { labels } }) => [JSON.stringify(labels), labels]))
  return [...sets.values()].slice(0, LABEL_SETS_MAX)
}

const newestPod = (pods: readonly OwnPod[]): OwnPod | null =>
  pods.toSorted((one, other) => other.view.createdAt.localeCompare(one.view.createdAt))[0] ?? null

const newestFirst = (revisions: readonly Revision[] | null): readonly Revision[] | null =>
  revisions?.toSorted((one, other) => other.number - one.number).slice(0, REVISIONS_MAX) ?? null

const revisionsOf = (
  { revision: current }: WorkloadFacts,
  replicaSets: readonly WorkloadFacts[],
): readonly Revision[] =>
  replicaSets.map(({ name, revision, images, createdAt }) => ({
    name,
    number: numberIn(revision),
    images,
    createdAt,
    isCurrent: revision === current,
  }))

/** An annotation, which anybody who may change the object writes. */
function numberIn(revision: string | null): number {
  const number = Number(revision)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}

const runsOf = (
  jobs: readonly WorkloadFacts[],
  pods: readonly PodFacts[] | null,
  now: number,
): readonly Workload[] =>
  joinWorkloads({ workloads: newestRuns(jobs), pods }, now).toSorted((one, other) =>
    other.createdAt.localeCompare(one.createdAt),
  )
