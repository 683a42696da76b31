import { type TSchema, type TSchemaOptions, Type } from 'typebox'
import type { ClusterEntry } from '../../domain/clusters/clusters.ts'
import { Environment } from '../../domain/promotion/pipeline-schemas.ts'
import { Label, Subdomain } from '../../names.ts'
import { named } from '../../schema/named.ts'
import { Nullable } from '../../schema/nullable.ts'
import { timeBody } from '../time.ts'

const Text = Type.String()
const Time = Type.String({ format: 'date-time' })
const Count = Type.Integer({ minimum: 0 })
const Labels = Type.Record(Type.String(), Text)
export const literals = (values: readonly string[], options: TSchemaOptions = {}) =>
  Type.Union(
    values.map((each) => Type.Literal(each)),
    options,
  )

const namespaceParameters = {
  clusterId: named(Label, { description: 'Id of the cluster', examples: ['dev-east'] }),
  namespace: named(Label, { examples: ['payments-dev'] }),
}
export const ClusterParameters = Type.Object({ clusterId: namespaceParameters.clusterId })
export const NamespaceParameters = Type.Object(namespaceParameters)
export const ObjectParameters = Type.Object({
  ...namespaceParameters,
  name: named(Subdomain, { examples: ['payments-api'] }),
})

export const LabelSelector = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1_024,
    description: 'Kubernetes label selector, e.g. `app=payments-api,tier!=cache`',
  }),
)

export const Cluster = Type.Object(
  {
    id: Text,
    name: Text,
    apiServer: Type.String({ description: 'URL of the API server, with port' }),
    status: literals(['Ready', 'NotReady', 'Unreachable', 'Unknown'], {
      description:
        'Status at the last check; a request for the list starts a new check if the last one is older than 15 s',
    }),
    statusReason: Nullable(Type.String({ description: 'Code of the reason, unless `Ready`' })),
    checkedAt: Nullable(Time),
    version: Nullable(Type.String({ description: 'Version of Kubernetes' })),
  },
  { $id: 'Cluster' },
)

export function clusterBody({ health, ...cluster }: ClusterEntry) {
  return { ...cluster, ...health, checkedAt: timeBody(health.checkedAt) }
}

export const exampleCluster = {
  id: 'dev-east',
  name: 'Development East',
  apiServer: 'https://k8s.dev-east.example:6443',
  status: 'Ready',
  statusReason: null,
  checkedAt: '2026-11-21T09:30:00.000Z',
  version: 'v1.34.2',
}

const termination = {
  reason: Nullable(Text),
  exitCode: Type.Integer(),
  finishedAt: Nullable(Text),
}

const Container = Type.Object({
  name: Text,
  image: Nullable(Text),
  digest: Nullable(
    Type.String({ description: 'Digest of the image that runs, where a registry has it' }),
  ),
  init: Type.Boolean(),
  sidecar: Type.Boolean(),
  ephemeral: Type.Boolean({ description: 'Added to the pod for debugging' }),
  ready: Type.Boolean(),
  started: Nullable(Type.Boolean()),
  restarts: Count,
  state: Nullable(literals(['waiting', 'running', 'terminated'])),
  reason: Nullable(Text),
  message: Nullable(Text),
  lastTermination: Nullable(
    Type.Object(termination, { $id: 'ContainerEnd', description: 'End of the run before' }),
  ),
})

export const Pod = Type.Object(
  {
    name: Text,
    namespace: Text,
    uid: Text,
    phase: Nullable(Text),
    status: Type.String({ description: 'Column STATUS of `kubectl get pods`' }),
    statusMessage: Nullable(Text),
    ready: Type.Object({ ready: Count, total: Count }),
    restarts: Count,
    lastRestartAt: Nullable(Text),
    lastTermination: Nullable(
      Type.Object({ container: Text, ...termination }, { $id: 'ContainerTermination' }),
    ),
    createdAt: Text,
    deletionTimestamp: Nullable(Text),
    node: Nullable(Text),
    podIP: Nullable(Text),
    owner: Nullable(Type.Object({ kind: Text, name: Text }, { $id: 'PodOwner' })),
    images: Type.Array(Text),
    labels: Labels,
    containers: Type.Array(Container),
  },
  { $id: 'Pod' },
)

export const replicaCounts = {
  desired: Count,
  updated: Count,
  ready: Count,
  available: Count,
  unavailable: Count,
}

export const Deployment = Type.Object(
  {
    name: Text,
    namespace: Text,
    uid: Text,
    status: literals(['Available', 'Progressing', 'Degraded', 'Paused', 'ScaledToZero']),
    statusMessage: Type.String({
      description:
        'Message of `kubectl rollout status`, or that it is being deleted or waits for its last pods to end',
    }),
    replicas: Type.Object(replicaCounts),
    images: Type.Array(Text),
    strategy: Nullable(Text),
    paused: Type.Boolean(),
    generation: Count,
    observedGeneration: Count,
    restartedAt: Nullable(Text),
    createdAt: Text,
    labels: Labels,
    conditions: Type.Array(
      Type.Object({ type: Text, status: Text, reason: Nullable(Text), message: Nullable(Text) }),
    ),
  },
  { $id: 'Deployment' },
)

/** A part of the list with which a stream begins. */
export const Snapshot = (item: TSchema & { readonly $id?: string }) =>
  Type.Object(
    { first: Type.Boolean(), last: Type.Boolean(), items: Type.Array(item) },
    { $id: `${item.$id}Snapshot` },
  )

export const Namespace = Type.Object(
  {
    name: Text,
    environment: Nullable(Environment),
    team: Nullable(Type.String({ description: 'Team whose namespace it is' })),
    canRestart: Type.Boolean({ description: 'Whether you may restart deployments in it' }),
  },
  { $id: 'ClusterNamespace' },
)

export const exampleNamespaces = [
  { name: 'payments-dev', environment: 'dev', team: 'payments', canRestart: true },
  { name: 'shared-tools', environment: null, team: null, canRestart: false },
]

const eventMembers = {
  type: Nullable(Text),
  reason: Nullable(Text),
  message: Nullable(Text),
  count: Count,
  firstSeenAt: Nullable(Text),
  lastSeenAt: Nullable(Text),
  container: Nullable(Type.String({ description: 'Container that the event is about' })),
  source: Nullable(Text),
}

export const PodEvent = Type.Object(eventMembers, { $id: 'PodEvent' })

export const DeploymentEvent = Type.Object(
  {
    ...eventMembers,
    object: Type.Object(
      { kind: Nullable(Text), name: Nullable(Text) },
      { description: 'The deployment, or a replica set or pod of it' },
    ),
  },
  { $id: 'DeploymentEvent' },
)

export const exampleDeploymentEvents = [
  {
    type: 'Warning',
    reason: 'FailedCreate',
    message: 'Error creating: pods "payments-api-5d4f8-" is forbidden: exceeded quota: compute',
    count: 4,
    firstSeenAt: '2026-11-21T09:28:02Z',
    lastSeenAt: '2026-11-21T09:30:00Z',
    container: null,
    source: 'replicaset-controller',
    object: { kind: 'ReplicaSet', name: 'payments-api-5d4f8' },
  },
]

export const DeploymentRestart = Type.Object(
  {
    cluster: Text,
    namespace: Text,
    name: Text,
    restartedAt: Time,
    generation: Count,
    observedGeneration: Count,
    alreadyRestarted: Type.Boolean({
      description: 'A restart within the same second preceded this one; nothing changed',
    }),
  },
  { $id: 'DeploymentRestart' },
)

export const exampleRestart = {
  cluster: 'dev-east',
  namespace: 'payments-dev',
  name: 'payments-api',
  restartedAt: '2026-11-21T09:30:00Z',
  generation: 13,
  observedGeneration: 12,
  alreadyRestarted: false,
}
