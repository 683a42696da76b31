import type { Kubelet } from '../control/kubelet.ts'
import { newPod } from '../control/new-pod.ts'
import { nameSuffix } from '../control/hash.ts'
import { referenceTo } from '../control/ownership.ts'
import { type Deployment, type Namespace, newMetadata } from '../objects.ts'
import type { Store } from '../store.ts'
import type { DrivenTimeline } from '../timeline.ts'
import { jobTemplate, selectorOf, templateOf } from './manifest.ts'
import type { DeploymentChange, JobRun, NamespaceRow, Workload } from './workload.ts'

const HOUR_MS = 3_600_000
const PROGRESS_DEADLINE_SECONDS = 600
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

  for (const name of [...SYSTEM_NAMESPACES, ...rows.map((row) => row.name)]) {
    store.put('namespaces', newNamespace(name, timeline.now()))
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

function newNamespace(name: string, now: number): Namespace {
  const { namespace: _, generation: __, ...metadata } = newMetadata(name, '', now)
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { ...metadata, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
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
  const spec = specOf(workload, state, row)
  const { name } = workload
  const before = store.get('deployments', { namespace: row.name, name })
  const metadata = before?.metadata ?? {
    ...newMetadata(name, row.name, timeline.now()),
    labels: {
      ...selectorOf(name),
      'app.kubernetes.io/managed-by': 'argocd',
      'portico/team': row.team,
    },
  }
  const { uid: _, resourceVersion: __, annotations: ___, ...applied } = metadata
  const manifest = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: applied, spec }
  store.put('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...metadata,
      generation: before === undefined ? 1 : before.metadata.generation + 1,
      annotations: {
        ...metadata.annotations,
        'argocd.argoproj.io/tracking-id': `${row.team}-${name}:apps/Deployment:${row.name}/${name}`,
        'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest)}\n`,
      },
    },
    spec,
    status: before?.status ?? {},
  })
}

function specOf(
  workload: Workload,
  { tag = '', replicas = 0, paused }: DeploymentChange,
  row: NamespaceRow,
): Deployment['spec'] {
  const { name, recreates, progressDeadlineSeconds = PROGRESS_DEADLINE_SECONDS } = workload
  return {
    replicas,
    ...(paused && { paused }),
    selector: { matchLabels: selectorOf(name) },
    template: templateOf(workload, tag, row),
    strategy: recreates
      ? { type: 'Recreate' }
      : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds,
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
