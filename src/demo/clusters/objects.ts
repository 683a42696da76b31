import type {
  CoreV1Event,
  V1Container,
  V1ContainerStatus,
  V1CronJob,
  V1DaemonSet,
  V1Deployment,
  V1Ingress,
  V1Job,
  V1Namespace,
  V1ObjectMeta,
  V1Pod,
  V1ReplicaSet,
  V1Service,
  V1StatefulSet,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node'

/** A published type as JSON: times are RFC 3339 text, or null for Go's zero time. */
export type Wire<Type> = Type extends Date
  ? string | null
  : Type extends readonly (infer Item)[]
    ? Wire<Item>[]
    : Type extends object
      ? { [Key in keyof Type]: Wire<Type[Key]> }
      : Type

type Part<Type, Key extends keyof Type> = Wire<NonNullable<Type[Key]>>

export type Metadata = Omit<Wire<V1ObjectMeta>, 'deletionTimestamp'> & {
  name: string
  uid: string
  resourceVersion: string
  creationTimestamp: string
  deletionTimestamp?: string
}
export type NamespacedMetadata = Metadata & { namespace: string }

export type Container = Wire<V1Container>
export type ContainerStatus = Wire<V1ContainerStatus>
export type PodTemplate = Part<V1Deployment, 'spec'>['template']

export interface Pod {
  readonly apiVersion: 'v1'
  readonly kind: 'Pod'
  readonly metadata: NamespacedMetadata
  readonly spec: Part<V1Pod, 'spec'>
  readonly status: Part<V1Pod, 'status'>
}

/** A specification with the API server's defaults. */
export type DeploymentSpec = Part<V1Deployment, 'spec'> & {
  replicas: number
  progressDeadlineSeconds: number
}

export interface Deployment {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'Deployment'
  readonly metadata: NamespacedMetadata & { generation: number }
  readonly spec: DeploymentSpec
  readonly status: Part<V1Deployment, 'status'>
}

export interface ReplicaSet {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'ReplicaSet'
  readonly metadata: NamespacedMetadata & { generation: number }
  readonly spec: Part<V1ReplicaSet, 'spec'> & { replicas: number; template: PodTemplate }
  readonly status: Part<V1ReplicaSet, 'status'>
}

/** An object of another kind, which is recorded and not simulated. */
interface Fixed<Kind extends string, Published extends { spec?: unknown; status?: unknown }> {
  readonly apiVersion: 'v1' | 'apps/v1' | 'batch/v1' | 'networking.k8s.io/v1' | 'autoscaling/v2'
  readonly kind: Kind
  readonly metadata: NamespacedMetadata
  readonly spec: Part<Published, 'spec'>
  readonly status: Part<Published, 'status'>
}
export type StatefulSet = Fixed<'StatefulSet', V1StatefulSet>
export type DaemonSet = Fixed<'DaemonSet', V1DaemonSet>
export type Job = Fixed<'Job', V1Job>
export type CronJob = Fixed<'CronJob', V1CronJob>
export type Service = Fixed<'Service', V1Service>
export type Ingress = Fixed<'Ingress', V1Ingress>
export type HorizontalPodAutoscaler = Fixed<'HorizontalPodAutoscaler', V2HorizontalPodAutoscaler>

export interface Namespace {
  readonly apiVersion: 'v1'
  readonly kind: 'Namespace'
  readonly metadata: Metadata
  readonly spec: Part<V1Namespace, 'spec'>
  readonly status: Part<V1Namespace, 'status'>
}

export type ClusterEvent = Omit<Wire<CoreV1Event>, 'metadata'> & {
  readonly apiVersion: 'v1'
  readonly kind: 'Event'
  readonly metadata: NamespacedMetadata
}

export type ApiObject =
  | Service
  | Ingress
  | HorizontalPodAutoscaler
  | Pod
  | Deployment
  | ReplicaSet
  | StatefulSet
  | DaemonSet
  | Job
  | CronJob
  | Namespace
  | ClusterEvent

/** RFC 3339 without fractions of a second, as in Kubernetes' `metav1.Time`. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

export const hex = (seed: string): string =>
  new Bun.CryptoHasher('sha256').update(seed).digest('hex')

/** Kubernetes' alphabet of generated names: no vowels, and no characters that look alike. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** The random-looking end of a generated name, the same for the same seed. */
export const letters = (seed: string, length: number): string =>
  [...Buffer.from(hex(seed), 'hex').subarray(0, length)]
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('')

/** Metadata of an object that was created at `createdAt`. The store sets its `resourceVersion`. */
export function newMetadata(
  kind: ApiObject['kind'],
  name: string,
  namespace: string,
  createdAt: number,
): NamespacedMetadata {
  const seed = hex(`${kind}/${namespace}/${name}/${createdAt}`)
  return {
    name,
    namespace,
    uid: seed.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5'),
    resourceVersion: '',
    creationTimestamp: timestamp(createdAt),
  }
}

export type OwnerReference = NonNullable<NamespacedMetadata['ownerReferences']>[number]

/** The owner reference of an object that `owner` controls. */
export const referenceTo = (owner: {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid: string }
}): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})
