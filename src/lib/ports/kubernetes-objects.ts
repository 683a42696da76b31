import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/**
 * The members of Kubernetes objects that Portico reads, as the API server sends them: JSON without Go's zero values, times as
 * RFC 3339 text. A test compares them with the published types of `@kubernetes/client-node`.
 */

/** The annotation of a pod template that `kubectl rollout restart` sets. */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt'

export const optional = <Member extends TSchema>(member: Member) => Type.Optional(member)
export const partial = <Members extends TProperties>(members: Members) =>
  Type.Partial(Type.Object(members))
const optionalPartial = <Members extends TProperties>(members: Members) =>
  optional(partial(members))
export const text = Type.String()
export const count = Type.Integer()
const flag = Type.Boolean()
export const textByName = Type.Record(Type.String(), text)
/** By number or by name. */
export const port = Type.Union([count, text])
/** `null` is Go's zero time. */
const time = Type.Union([text, Type.Null()])

const OwnerReference = Type.Object({
  kind: text,
  name: text,
  uid: optional(text),
  controller: optional(flag),
})

export const KubernetesMetadata = Type.Object({
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: optional(text),
  generation: optional(count),
  creationTimestamp: text,
  deletionTimestamp: optional(text),
  labels: optional(textByName),
  annotations: optional(textByName),
  ownerReferences: optional(Type.Array(OwnerReference)),
})

const Condition = Type.Object({
  type: text,
  status: text,
  reason: optional(text),
  message: optional(text),
  lastTransitionTime: optional(time),
})

export type KubernetesCondition = Static<typeof Condition>

/** A client that has written to an object, and when it last changed something. */
const ManagedFields = partial({ subresource: text, time: time })

const Probe = partial({
  httpGet: partial({ path: text, port, scheme: text }),
  tcpSocket: partial({ port }),
  grpc: partial({ port: count }),
  exec: partial({}),
  initialDelaySeconds: count,
  periodSeconds: count,
  timeoutSeconds: count,
  failureThreshold: count,
})
export type KubernetesProbe = Static<typeof Probe>

const Container = Type.Object({
  name: text,
  image: optional(text),
  restartPolicy: optional(text),
  startupProbe: optional(Probe),
  livenessProbe: optional(Probe),
  readinessProbe: optional(Probe),
  resources: optionalPartial({ requests: textByName, limits: textByName }),
})

const Terminated = partial({
  exitCode: count,
  signal: count,
  reason: text,
  message: text,
  /** `null` if the kubelet lost the container, e.g. `ContainerStatusUnknown`. */
  finishedAt: time,
})

const ContainerState = partial({
  waiting: partial({ reason: text, message: text }),
  running: partial({ startedAt: time }),
  terminated: Terminated,
})

const ContainerStatus = Type.Object({
  name: text,
  ready: optional(flag),
  started: optional(flag),
  restartCount: optional(count),
  /** Name and digest of the image that runs; no digest for one that no registry has. */
  imageID: optional(text),
  state: optional(ContainerState),
  lastState: optional(ContainerState),
})

export const KubernetesPod = Type.Object({
  metadata: KubernetesMetadata,
  spec: Type.Object({
    containers: Type.Array(Container),
    initContainers: optional(Type.Array(Container)),
    ephemeralContainers: optional(Type.Array(Container)),
    nodeName: optional(text),
    volumes: optional(
      Type.Array(partial({ name: text, persistentVolumeClaim: Type.Object({ claimName: text }) })),
    ),
  }),
  status: optionalPartial({
    phase: text,
    reason: text,
    message: text,
    podIP: text,
    qosClass: text,
    conditions: Type.Array(Condition),
    initContainerStatuses: Type.Array(ContainerStatus),
    containerStatuses: Type.Array(ContainerStatus),
    ephemeralContainerStatuses: Type.Array(ContainerStatus),
  }),
})
export type KubernetesPod = Static<typeof KubernetesPod>
export type KubernetesContainerStatus = Static<typeof ContainerStatus>
export type KubernetesContainerState = Static<typeof ContainerState>

export const KubernetesSelector = partial({
  matchLabels: textByName,
  matchExpressions: Type.Array(
    Type.Object({ key: text, operator: text, values: optional(Type.Array(text)) }),
  ),
})
export type KubernetesSelector = Static<typeof KubernetesSelector>

const PodTemplate = Type.Object({
  metadata: optionalPartial({ annotations: textByName }),
  spec: optional(Type.Object({ containers: Type.Array(Container) })),
})

export const KubernetesDeployment = Type.Object({
  metadata: Type.Object({
    ...KubernetesMetadata.properties,
    managedFields: optional(Type.Array(ManagedFields)),
  }),
  spec: Type.Object({
    replicas: optional(count),
    minReadySeconds: optional(count),
    progressDeadlineSeconds: optional(count),
    selector: optional(KubernetesSelector),
    paused: optional(flag),
    strategy: optionalPartial({ type: text }),
    template: PodTemplate,
  }),
  status: optionalPartial({
    observedGeneration: count,
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    unavailableReplicas: count,
    /** Since Kubernetes 1.33. */
    terminatingReplicas: count,
    conditions: Type.Array(
      Type.Object({ ...Condition.properties, lastUpdateTime: optional(time) }),
    ),
  }),
})
export type KubernetesDeployment = Static<typeof KubernetesDeployment>

/** Members with which an object of any type describes its pods and its own state. */
export const KubernetesDescribed = partial({
  spec: partial({
    selector: KubernetesSelector,
    template: partial({ metadata: partial({ labels: textByName }) }),
  }),
  status: partial({ conditions: Type.Array(Condition) }),
})

/** Members of an object with a pod template that a restart reads. */
export const KubernetesRolledOut = Type.Object({
  metadata: KubernetesMetadata,
  spec: partial({ paused: flag }),
  status: optionalPartial({ observedGeneration: count }),
})
export type KubernetesRolledOut = Static<typeof KubernetesRolledOut>

const conditions = Type.Array(Condition)

export const KubernetesReplicaSet = Type.Object({
  metadata: KubernetesMetadata,
  spec: optionalPartial({ replicas: count, template: PodTemplate }),
  status: optionalPartial({
    observedGeneration: count,
    replicas: count,
    readyReplicas: count,
    availableReplicas: count,
    fullyLabeledReplicas: count,
    conditions,
  }),
})
export type KubernetesReplicaSet = Static<typeof KubernetesReplicaSet>

export const KubernetesStatefulSet = Type.Object({
  metadata: KubernetesMetadata,
  spec: Type.Object({
    replicas: optional(count),
    podManagementPolicy: optional(text),
    updateStrategy: optionalPartial({ type: text, rollingUpdate: partial({ partition: count }) }),
    template: PodTemplate,
  }),
  status: optionalPartial({
    observedGeneration: count,
    replicas: count,
    currentReplicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    currentRevision: text,
    updateRevision: text,
  }),
})
export type KubernetesStatefulSet = Static<typeof KubernetesStatefulSet>

export const KubernetesDaemonSet = Type.Object({
  metadata: KubernetesMetadata,
  spec: Type.Object({
    updateStrategy: optionalPartial({ type: text }),
    template: PodTemplate,
  }),
  status: optionalPartial({
    observedGeneration: count,
    desiredNumberScheduled: count,
    currentNumberScheduled: count,
    updatedNumberScheduled: count,
    numberReady: count,
    numberAvailable: count,
    numberUnavailable: count,
  }),
})
export type KubernetesDaemonSet = Static<typeof KubernetesDaemonSet>

export const KubernetesJob = Type.Object({
  metadata: KubernetesMetadata,
  spec: Type.Object({
    completions: optional(count),
    parallelism: optional(count),
    suspend: optional(flag),
    template: PodTemplate,
  }),
  status: optionalPartial({
    active: count,
    ready: count,
    succeeded: count,
    failed: count,
    startTime: time,
    completionTime: time,
    conditions,
  }),
})
export type KubernetesJob = Static<typeof KubernetesJob>

export const KubernetesCronJob = Type.Object({
  metadata: KubernetesMetadata,
  spec: Type.Object({
    schedule: text,
    timeZone: optional(text),
    suspend: optional(flag),
    concurrencyPolicy: optional(text),
    jobTemplate: Type.Object({ spec: optional(Type.Object({ template: PodTemplate })) }),
  }),
  status: optionalPartial({
    active: Type.Array(partial({ name: text })),
    lastScheduleTime: time,
    lastSuccessfulTime: time,
  }),
})
export type KubernetesCronJob = Static<typeof KubernetesCronJob>

export const KubernetesNamespace = Type.Object({ metadata: Type.Object({ name: text }) })

/** `authorization.k8s.io/v1` SelfSubjectAccessReview, as it is answered. */
export const KubernetesAccessReview = Type.Object({ status: Type.Object({ allowed: flag }) })

/** `v1` Event, as `kubectl describe` prints it. */
export const KubernetesEvent = Type.Object({
  metadata: Type.Object({ name: text, uid: text, creationTimestamp: optional(text) }),
  involvedObject: optionalPartial({ kind: text, name: text, uid: text, fieldPath: text }),
  type: optional(text),
  reason: optional(text),
  message: optional(text),
  count: optional(count),
  firstTimestamp: optional(time),
  lastTimestamp: optional(time),
  eventTime: optional(time),
  series: optionalPartial({ count, lastObservedTime: time }),
  source: optionalPartial({ component: text }),
  reportingComponent: optional(text),
})
export type KubernetesEvent = Static<typeof KubernetesEvent>
