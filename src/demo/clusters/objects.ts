import type {
  CoreV1Event,
  V1Container,
  V1ContainerStatus,
  V1Deployment,
  V1Namespace,
  V1ObjectMeta,
  V1Pod,
  V1ReplicaSet,
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

/** Types of the objects in a simulated cluster by resource name. */
export interface Kinds {
  readonly pods: Pod
  readonly deployments: Deployment
  readonly replicasets: ReplicaSet
  readonly namespaces: Namespace
  readonly events: ClusterEvent
}
export type Resource = keyof Kinds
export type ApiObject = Kinds[Resource]

/** RFC 3339 without fractions of a second, as in Kubernetes' `metav1.Time`. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Metadata of an object that is created now. The store sets its `resourceVersion`. */
export const newMetadata = (
  name: string,
  namespace: string,
  now: number,
): NamespacedMetadata & { generation: number } => ({
  name,
  namespace,
  uid: crypto.randomUUID(),
  resourceVersion: '',
  generation: 1,
  creationTimestamp: timestamp(now),
})
