import type { Kubelet } from '../control/kubelet.ts'
import { newPod } from '../control/new-pod.ts'
import { nameSuffix } from '../control/hash.ts'
import { referenceTo } from '../control/ownership.ts'
import type { Deployment } from '../objects.ts'
import type { Store } from '../store.ts'
import type { DrivenTimeline } from '../timeline.ts'
import { applySpec, newSpec } from './apply-spec.ts'
import { imageOf, jobTemplate, placementIn, templateOf } from './manifest.ts'
import { newNamespace } from './namespace.ts'
import type { DeploymentChange, JobRun, NamespaceRow, Workload } from './workload.ts'

const HOUR_MS = 3_600_000
/** Before the first deployment. */
const FOUNDED_HOURS_AGO = 9_500
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

export interface HistoryParts {
  readonly store: Store
  readonly kubelet: Kubelet
  readonly timeline: DrivenTimeline
}

/** Start of a timeline on which the whole history can be replayed. */
export const foundingTime = (now: number): number => now - FOUNDED_HOURS_AGO * HOUR_MS

/** Simulates everything that happened to these namespaces up to `now`, so that controllers produced their present state. */
export function replayHistory(
  parts: HistoryParts,
  rows: readonly NamespaceRow[],
  now: number,
): void {
  const { store, timeline } = parts
  const schedule = (hoursAgo: number, action: () => void) =>
    timeline.after(now - hoursAgo * HOUR_MS - timeline.now(), action)

  for (const name of SYSTEM_NAMESPACES) {
    store.put('namespaces', newNamespace(name, null, timeline.now()))
  }
  for (const { name, team } of rows) {
    store.put('namespaces', newNamespace(name, team, timeline.now()))
  }
  for (const row of rows) {
    for (const workload of row.workloads) {
      for (const [index, { hoursAgo }] of workload.history.entries()) {
        schedule(hoursAgo, () => apply(parts, row, workload, index))
      }
    }
    for (const job of row.jobs) schedule(job.hoursAgo, () => runJob(parts, row, job))
  }
  timeline.advanceTo(now)
}

function apply(
  { store, timeline }: HistoryParts,
  row: NamespaceRow,
  workload: Workload,
  index: number,
) {
  const state = workload.history
    .slice(0, index + 1)
    .reduce<DeploymentChange>((merged, change) => ({ ...merged, ...change }), workload.history[0])
  const { name } = workload
  const { name: namespace, team } = row
  applySpec(store, { name, namespace, team }, specOf(workload, state, row), timeline.now())
}

function specOf(
  workload: Workload,
  { tag = '', replicas = 0, paused }: DeploymentChange,
  row: NamespaceRow,
): Deployment['spec'] {
  const { name, recreates, progressDeadlineSeconds } = workload
  return {
    ...newSpec(templateOf(workload, imageOf(name, tag), placementIn(row)), name),
    replicas,
    ...(paused && { paused }),
    ...(recreates && { strategy: { type: 'Recreate' } }),
    ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
  }
}

function runJob({ store, kubelet, timeline }: HistoryParts, row: NamespaceRow, job: JobRun): void {
  const metadata = { name: job.name, uid: crypto.randomUUID() }
  const pod = newPod(
    {
      name: `${job.name}-${nameSuffix(job.name)}`,
      namespace: row.name,
      generateName: `${job.name}-`,
      template: jobTemplate(job, row),
      owner: referenceTo({ apiVersion: 'batch/v1', kind: 'Job', metadata }),
    },
    timeline.now(),
  )
  kubelet.start(store.put('pods', pod))
}
