import { Type } from 'typebox'
import type { CatalogEntity } from '../../domain/catalog/snapshot.ts'
import type { PlacedApplication } from '../../domain/clusters/workloads/application-health.ts'
import type { WorkloadDetail as Detail } from '../../domain/clusters/workloads/detail.ts'
import type { Image } from '../../domain/gitops/overlay.ts'
import { Environment } from '../../domain/promotion/pipeline-schemas.ts'
import { Nullable } from '../../schema/nullable.ts'
import { ImageVersion } from '../promotion/app-row.ts'
import { DeploymentEvent, exampleDeploymentEvents, ObjectParameters, Pod } from './schemas.ts'
import { exampleWorkload, Workload, WorkloadKind } from './workload-schemas.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const TextByName = Type.Record(Type.String(), Text)
const part = <Item extends Parameters<typeof Type.Array>[0]>(item: Item, description: string) =>
  Nullable(Type.Array(item), { description })

/** Conditions that a controller or a kubelet has set. */
const Conditions = Type.Array(
  Type.Object(
    {
      type: Text,
      status: Text,
      reason: Nullable(Text),
      message: Nullable(Text),
      since: Nullable(Text),
    },
    { $id: 'WorkloadCondition' },
  ),
)

export const WorkloadParameters = Type.Object({
  ...ObjectParameters.properties,
  kind: WorkloadKind,
})

export const WorkloadDetail = Type.Object(
  {
    ...Workload.properties,
    inGit: Nullable(
      Type.Object(
        {
          entity: Type.Object({ kind: Text, name: Text }),
          environment: Environment,
          image: Nullable(ImageVersion),
        },
        { $id: 'WorkloadInGit' },
      ),
      {
        description:
          'The application that it is a part of, by its label `app.kubernetes.io/name` and the cluster registry, with its image as git has it',
      },
    ),
    conditions: Conditions,
    newestPod: Nullable(
      Type.Object(
        {
          name: Text,
          qosClass: Nullable(
            Type.String({ description: '`Guaranteed`, `Burstable` or `BestEffort`' }),
          ),
          conditions: Conditions,
        },
        { $id: 'WorkloadNewestPod' },
      ),
    ),
    pods: part(Pod, 'Its own pods, at most 1,000; of a cron job those of its last 20 jobs'),
    containers: part(
      Type.Object(
        {
          name: Text,
          probes: Type.Array(
            Type.Object(
              {
                kind: Type.Enum(['startup', 'liveness', 'readiness']),
                action: Type.String({
                  description:
                    'Such as `HTTP GET :8080/healthz`, `TCP :5432`, `gRPC :9090`; of a command only that it is one',
                }),
                initialDelaySeconds: Count,
                periodSeconds: Count,
                timeoutSeconds: Count,
                failureThreshold: Count,
              },
              { $id: 'ContainerProbe' },
            ),
          ),
          requests: TextByName,
          limits: TextByName,
          usage: Nullable(Type.Record(Type.String(), Text, { $id: 'ContainerUsage' }), {
            description:
              'As metrics.k8s.io has measured it; `null` where the cluster has no such API, or does not answer in time',
          }),
        },
        { $id: 'ContainerResources' },
      ),
      'Containers of its newest pod, with what they ask for, may use and use',
    ),
    events: part(
      DeploymentEvent,
      'Of the workload, of what it makes and of its pods, newest last; at most 500',
    ),
    revisions: part(
      Type.Object(
        {
          name: Text,
          number: Count,
          images: Type.Array(Text),
          createdAt: Text,
          isCurrent: Type.Boolean(),
        },
        { $id: 'WorkloadRevision' },
      ),
      'Its templates, newest first, at most 100; none of kinds that keep none',
    ),
    runs: part(Workload, 'The last 20 jobs of a cron job, newest first; none of other kinds'),
    services: part(
      Type.Object(
        {
          name: Text,
          type: Text,
          ports: Type.Array(
            Type.Object({ name: Nullable(Text), port: Count, protocol: Text, targetPort: Text }),
          ),
        },
        { $id: 'WorkloadService' },
      ),
      'Services that select its pods',
    ),
    routes: part(
      Type.Object(
        {
          kind: Type.Union([Type.Literal('Ingress'), Type.Literal('HTTPRoute')]),
          name: Text,
          hosts: Type.Array(Text),
          tlsHosts: Nullable(Type.Array(Text), { description: '`null` where the gateway decides' }),
        },
        { $id: 'WorkloadRoute' },
      ),
      'Ingresses and routes of the Gateway API that lead to its services',
    ),
    autoscaler: Nullable(
      Type.Object(
        {
          name: Text,
          minReplicas: Count,
          maxReplicas: Count,
          currentReplicas: Nullable(Count),
          desiredReplicas: Nullable(Count),
          message: Nullable(Text, { description: 'Why it does not scale, or no further' }),
        },
        { $id: 'WorkloadAutoscaler' },
      ),
    ),
    disruptionBudgets: part(
      Type.Object(
        {
          name: Text,
          minAvailable: Nullable(Text),
          maxUnavailable: Nullable(Text),
          disruptionsAllowed: Count,
          currentHealthy: Count,
          desiredHealthy: Count,
        },
        { $id: 'WorkloadDisruptionBudget' },
      ),
      'Budgets that select its pods',
    ),
    volumeClaims: part(
      Type.Object(
        {
          name: Text,
          phase: Nullable(Text),
          capacity: Nullable(Text),
          storageClass: Nullable(Text),
        },
        { $id: 'WorkloadVolumeClaim' },
      ),
      'Claims of its pods',
    ),
    refused: Type.Array(Text, {
      description: 'Members that the cluster does not let you read, at least not whole',
    }),
  },
  { $id: 'WorkloadDetail' },
)

export interface ApplicationInGit extends PlacedApplication {
  readonly entity: CatalogEntity
  readonly image: Image | null
}

export const workloadDetailBody = (
  { workload, ...parts }: Detail,
  inGit: ApplicationInGit | undefined,
) => ({
  ...workload,
  inGit:
    inGit === undefined
      ? null
      : {
          entity: { kind: inGit.entity.card.kind, name: inGit.entity.card.name },
          environment: inGit.environment,
          image: inGit.image,
        },
  ...parts,
})

const example: Detail = {
  workload: exampleWorkload,
  conditions: [
    {
      type: 'Available',
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
      since: '2026-11-21T09:20:00Z',
    },
  ],
  newestPod: {
    name: 'payments-api-5d4f8-k2x9p',
    qosClass: 'Burstable',
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [app]',
        since: '2026-11-21T09:28:00Z',
      },
    ],
  },
  pods: [],
  containers: [
    {
      name: 'app',
      probes: [
        {
          kind: 'readiness',
          action: 'HTTP GET :8080/healthz',
          initialDelaySeconds: 0,
          periodSeconds: 10,
          timeoutSeconds: 1,
          failureThreshold: 3,
        },
      ],
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '256Mi' },
      usage: { cpu: '12345678n', memory: '98304Ki' },
    },
  ],
  events: exampleDeploymentEvents,
  revisions: [
    {
      name: 'payments-api-5d4f8',
      number: 7,
      images: ['ghcr.io/acme/payments-api:1.5.1'],
      createdAt: '2026-11-21T09:27:00Z',
      isCurrent: true,
    },
  ],
  runs: [],
  services: [
    {
      name: 'payments-api',
      type: 'ClusterIP',
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: '8080' }],
    },
  ],
  routes: [
    {
      kind: 'Ingress',
      name: 'payments-api',
      hosts: ['payments.example.org'],
      tlsHosts: ['payments.example.org'],
    },
  ],
  autoscaler: null,
  disruptionBudgets: [],
  volumeClaims: [],
  refused: [],
}

export const exampleWorkloadDetail = workloadDetailBody(example, undefined)
