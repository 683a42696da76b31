import type { Clock } from '../../lib/ports/clock.ts'
import {
  jobTemplate,
  imageOf,
  placementIn,
  selectorOf,
  TEAM_LABEL,
  templateOf,
  versionOf,
} from './manifest.ts'
import { fixedObjects } from './fixed.ts'
import type { Container, Deployment, DeploymentSpec, Namespace } from './objects.ts'
import { letters, newMetadata, referenceTo } from './objects.ts'
import type { World } from './pod.ts'
import { objectsAt, type WorkloadRecord } from './records.ts'
import { changed, type DeploymentRecord, planned } from './rollout.ts'
import { createStore } from './store.ts'
import type { DeploymentChange, JobRun, NamespaceRow, Workload } from './workloads.ts'

const HOUR_MS = 3_600_000
/** Before the first deployment. */
const FOUNDED_HOURS_AGO = 9_500
const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const MANAGER = 'argocd'
const PROGRESS_DEADLINE_SECONDS = 600
const TIMER_MS_MIN = 5
const TIMER_MS_MAX = 600_000

/** An application in one environment, as the gitops repository wants it. */
export interface WantedApplication {
  readonly team: string
  readonly app: string
  readonly environment: string
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  readonly resources: NonNullable<Container['resources']>
}

export interface Wanted {
  readonly applications: readonly WantedApplication[]
  /** Applications with files that cannot be read. They stay as they are. */
  readonly unreadable: readonly Pick<WantedApplication, 'team' | 'app'>[]
}

export type Cluster = ReturnType<typeof createCluster>

/**
 * The objects of a cluster. What was wanted when is recorded, and everything else follows from the records and the time: at the next
 * change of a workload its objects are derived anew.
 */
export function createCluster({
  rows,
  clock,
  onBug,
  ...world
}: World & {
  readonly rows: readonly NamespaceRow[]
  readonly clock: Clock
  /** Called with unexpected errors of the simulation. The portal continues. */
  readonly onBug: (error: unknown) => void
}) {
  const start = clock.now()
  // Higher than the versions of an earlier start, so that a watch that outlives a restart expires.
  const store = createStore(Math.floor(start / 100))
  const records = new Map<string, WorkloadRecord>()
  const due = new Map<string, number>()
  const applied = new Map<string, WantedApplication>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  /** There is one timer, for the next change: an idle cluster costs nothing. */
  function arm(): void {
    clearTimeout(timer)
    const wait = Math.min(...due.values()) - clock.now()
    if (isClosed || wait === Infinity) return
    timer = setTimeout(advance, Math.min(Math.max(wait, TIMER_MS_MIN), TIMER_MS_MAX))
    timer.unref()
  }

  function write(key: string, record: WorkloadRecord): void {
    const now = clock.now()
    const isRolling = record.kind === 'Deployment' && record.finishedAt > now
    const written = isRolling ? planned(record, now, world) : record
    const { objects, next } = objectsAt(written, now, world)
    records.set(key, written)
    due.set(key, next)
    store.replace(key, objects)
  }

  /** Derives what has changed by itself until now. */
  function advance(): void {
    for (const [key, record] of records) {
      if ((due.get(key) ?? Infinity) > clock.now()) continue
      try {
        write(key, record)
      } catch (error) {
        due.delete(key)
        onBug(error)
      }
    }
    arm()
  }

  function addNamespace(name: string, team: string | null, createdAt: number): void {
    const labels = {
      'kubernetes.io/metadata.name': name,
      ...(team !== null && { [TEAM_LABEL]: team }),
    }
    const namespace: Namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { ...newMetadata('Namespace', name, '', createdAt), labels },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }
    store.replace(`namespace ${name}`, [namespace])
  }

  const founded = start - FOUNDED_HOURS_AGO * HOUR_MS
  for (const name of SYSTEM_NAMESPACES) addNamespace(name, null, founded)
  for (const row of rows) {
    addNamespace(row.name, row.team, founded)
    for (const workload of row.workloads) {
      write(`${row.name}/${workload.name}`, recordOf(row, workload, start, world))
    }
    if (row.hasFixed) store.replace(`${row.name} fixed`, fixedObjects(row.name, row.team, start))
    for (const job of row.jobs ?? []) write(`${row.name}/${job.name}`, jobRecord(row, job, start))
  }
  arm()

  const deploymentOf = (namespace: string, name: string): DeploymentRecord | undefined => {
    const record = records.get(`${namespace}/${name}`)
    return record?.kind === 'Deployment' ? record : undefined
  }

  function mayRunIn({ team, namespace }: WantedApplication): boolean {
    const found = store.get('Namespace', '', namespace)
    if (found === undefined) addNamespace(namespace, team, clock.now())
    return found === undefined || found.metadata.labels?.[TEAM_LABEL] === team
  }

  function apply(wanted: WantedApplication): void {
    const { app, namespace, team } = wanted
    const now = clock.now()
    const before = deploymentOf(namespace, app)
    if (before !== undefined && isAsWanted(before, wanted)) return
    const spec = before
      ? withWanted(before.spec, wanted)
      : newSpec(app, templateOf({ name: app }, wanted.image, wanted), wanted.replicas)
    const record = before ?? newRecord(app, namespace, team, spec, now)
    write(`${namespace}/${app}`, withManifest(changed(record, spec, now, world), team))
  }

  return {
    store,
    advance,
    /** When `advance` is due; `Infinity` while nothing changes by itself. */
    next: (): number => Math.min(...due.values()),
    /** Changes a deployment by hand. */
    patch: ({ metadata, spec }: Pick<Deployment, 'metadata' | 'spec'>): void => {
      const { namespace, name, labels = {}, annotations = {} } = metadata
      const before = deploymentOf(namespace, name)
      if (before === undefined) return
      const record = { ...before, labels, annotations }
      const isSame = Bun.deepEquals(before.spec, spec)
      write(`${namespace}/${name}`, isSame ? record : changed(record, spec, clock.now(), world))
      arm()
    },
    /**
     * Stands in for Argo CD. What somebody changes by hand stays until the wish of the repository changes. Returns the applications
     * whose namespace belongs to another team: they are refused.
     */
    sync: ({ applications, unreadable }: Wanted): readonly WantedApplication[] => {
      const refused = applications.filter((each) => !mayRunIn(each))
      const wantedBy = Map.groupBy(
        applications.filter((each) => !refused.includes(each)),
        ({ namespace, app }) => `${namespace}/${app}`,
      )
      for (const [key, record] of records) {
        if (record.kind !== 'Deployment' || record.labels[MANAGED_BY] !== MANAGER) continue
        const isUnreadable = unreadable.some(
          ({ team, app }) => app === record.name && team === record.labels[TEAM_LABEL],
        )
        if (wantedBy.has(key) || isUnreadable) continue
        records.delete(key)
        due.delete(key)
        applied.delete(key)
        store.replace(key, [])
      }
      for (const [key, [wanted]] of wantedBy) {
        if (wanted === undefined) continue
        if (!Bun.deepEquals(applied.get(key), wanted)) apply(wanted)
        applied.set(key, wanted)
      }
      arm()
      return refused
    },
    close: (): void => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** A deployment's specification with the API server's defaults. */
const newSpec = (
  name: string,
  template: DeploymentSpec['template'],
  replicas: number,
): DeploymentSpec => ({
  replicas,
  selector: { matchLabels: selectorOf(name) },
  template,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' } },
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
})

const newRecord = (
  name: string,
  namespace: string,
  team: string,
  spec: DeploymentSpec,
  now: number,
): DeploymentRecord => ({
  kind: 'Deployment',
  name,
  namespace,
  labels: { ...selectorOf(name), [MANAGED_BY]: MANAGER, [TEAM_LABEL]: team },
  annotations: {},
  generation: 0,
  spec,
  createdAt: now,
  changedAt: now,
  revisions: [],
  pods: [],
  finishedAt: Infinity,
  progressedAt: now,
})

/** As Argo CD applies it: the manifest is an annotation too, with the secrets of its environment, as in real clusters. */
function withManifest(record: DeploymentRecord, team: string): DeploymentRecord {
  const { name, namespace, labels, spec } = record
  const manifest = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec,
  }
  const annotations = {
    ...record.annotations,
    'argocd.argoproj.io/tracking-id': `${team}-${name}:apps/Deployment:${namespace}/${name}`,
    'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest)}\n`,
  }
  return { ...record, annotations }
}

/** A workload of the seed after its whole history. */
function recordOf(row: NamespaceRow, workload: Workload, now: number, world: World) {
  const { name, history, recreates, progressDeadlineSeconds } = workload
  let state: DeploymentChange = history[0]
  let record: DeploymentRecord | undefined
  for (const change of history) {
    state = { ...state, ...change }
    const { tag = '', replicas = 0, paused } = state
    const template = templateOf(workload, imageOf(name, tag), placementIn(row))
    const spec: DeploymentSpec = {
      ...newSpec(name, template, replicas),
      ...(paused && { paused }),
      ...(recreates && { strategy: { type: 'Recreate' } }),
      ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
    }
    const at = now - change.hoursAgo * HOUR_MS
    record ??= newRecord(name, row.name, row.team, spec, at)
    record = withManifest(changed(record, spec, at, world), row.team)
  }
  if (record === undefined) throw new Error(`${name} has no history`)
  return record
}

function jobRecord(row: NamespaceRow, job: JobRun, now: number): WorkloadRecord {
  const createdAt = now - job.hoursAgo * HOUR_MS
  const metadata = newMetadata('Job', job.name, row.name, createdAt)
  const pod = {
    name: `${job.name}-${letters(job.name, 5)}`,
    namespace: row.name,
    generateName: `${job.name}-`,
    template: jobTemplate(job, row),
    owner: referenceTo({ apiVersion: 'batch/v1', kind: 'Job', metadata }),
    createdAt,
    deletedAt: Infinity,
  }
  return { kind: 'Job', pod }
}

function isAsWanted({ name, spec }: DeploymentRecord, wanted: WantedApplication): boolean {
  const main = spec.template.spec?.containers.find((each) => each.name === name)
  return (
    spec.replicas === wanted.replicas &&
    main?.image === wanted.image &&
    Bun.deepEquals(main.resources, wanted.resources)
  )
}

/** Everything else of the template stays, so that only a new image or new resources make new pods. */
function withWanted(spec: DeploymentSpec, { app, image, resources, replicas }: WantedApplication) {
  const { metadata, spec: pod } = spec.template
  const containers = (pod?.containers ?? []).map((each) =>
    each.name === app ? { ...each, image, resources } : each,
  )
  const labels = { ...metadata?.labels, ...versionOf(image) }
  const template = {
    ...spec.template,
    metadata: { ...metadata, labels },
    spec: { ...pod, containers },
  }
  return { ...spec, replicas, template }
}
