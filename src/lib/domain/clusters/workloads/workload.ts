import type { KubernetesCondition, KubernetesPod } from '../../../ports/kubernetes-objects.ts'
import type { Replicas } from '../deployment.ts'

/** From worst to best; `Unknown` for what cannot be asked. */
export const HEALTHS = [
  'Degraded',
  'Unstable',
  'Progressing',
  'Unknown',
  'Suspended',
  'Healthy',
  'Idle',
] as const
export type Health = (typeof HEALTHS)[number]

export interface Verdict {
  readonly health: Health
  /** A word of Kubernetes, or of a container's end. */
  readonly reason: string | null
  /** One sentence. */
  readonly message: string
  /** RFC 3339, as far as the cluster knows. */
  readonly since: string | null
}

/** Runs of a job. */
export interface Completions {
  readonly desired: number
  readonly succeeded: number
  readonly failed: number
  readonly active: number
  /** How many pods run at once if the job does not say how many must succeed; `null` if it does. */
  readonly parallelism: number | null
}

/** The object that controls another one. */
export interface Controller {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** Facts of an object of any kind that runs pods. */
export interface WorkloadFacts {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly controller: Controller | null
  /** The verdict by the status of the object alone. */
  readonly own: Verdict
  readonly replicas: Replicas | null
  readonly images: readonly string[]
  readonly revision: string | null
  /** The revision label of its newest pods, where the object names it. */
  readonly podRevision: string | null
  /** A pod that is not ready for this long after its start is a failure; `null` for kinds that have a deadline of their own. */
  readonly startupMs: number | null
  readonly createdAt: string
  readonly deletionTimestamp: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly suspended: boolean
  readonly completions: Completions | null
  readonly schedule: string | null
  readonly lastScheduleAt: string | null
  /** When the next run is due, in milliseconds. */
  readonly dueAt: number | null
}

type Metadata = KubernetesPod['metadata']

export const controllerOf = ({ ownerReferences = [] }: Metadata): Controller | null => {
  const owner = ownerReferences.find(({ controller }) => controller === true)
  return owner === undefined ? null : { kind: owner.kind, name: owner.name, uid: owner.uid ?? '' }
}

/** Facts of an object with what its kind adds. */
export const factsOf = (
  kind: string,
  metadata: Metadata,
  own: Verdict,
  more: Partial<WorkloadFacts>,
): WorkloadFacts => ({
  kind,
  name: metadata.name,
  namespace: metadata.namespace,
  uid: metadata.uid,
  controller: controllerOf(metadata),
  own,
  replicas: null,
  images: [],
  revision: null,
  podRevision: null,
  startupMs: STARTUP_MS,
  createdAt: metadata.creationTimestamp,
  deletionTimestamp: metadata.deletionTimestamp ?? null,
  labels: metadata.labels ?? {},
  suspended: false,
  completions: null,
  schedule: null,
  lastScheduleAt: null,
  dueAt: null,
  ...more,
})

/** The default progress deadline of deployments; other kinds have none. */
const STARTUP_MS = 600_000

export const verdict = (
  health: Health,
  message: string,
  reason: string | null = null,
  since: string | null = null,
): Verdict => ({ health, reason, message, since })

/** A condition as answers show it. */
export const conditionView = (each: KubernetesCondition) => ({
  type: each.type,
  status: each.status,
  reason: each.reason || null,
  message: each.message || null,
  since: each.lastTransitionTime ?? null,
})
export type ConditionView = ReturnType<typeof conditionView>

/** The condition of a type that holds. */
export const holding = <Of extends KubernetesCondition>(
  conditions: readonly Of[] | undefined,
  type: string,
): Of | undefined => conditions?.find((each) => each.type === type && each.status === 'True')

/** A condition that tells of a failure. */
export const failureOf = ({
  type,
  reason,
  message,
  lastTransitionTime,
}: KubernetesCondition): Verdict =>
  verdict('Degraded', message || type, reason || type, lastTransitionTime ?? null)
