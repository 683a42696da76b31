import { Type } from 'typebox'
import type { WorkloadDetail as Detail } from '../../domain/clusters/workloads/detail.ts'
import { Nullable } from '../../schema/nullable.ts'
import { DeploymentEvent, exampleDeploymentEvents, ObjectParameters, Pod } from './schemas.ts'
import { exampleWorkload, Workload, WorkloadKind } from './workload-schemas.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const TextByName = Type.Record(Type.String(), Text)
const part = <Item extends Parameters<typeof Type.Array>[0]>(item: Item, description: string) =>
  Nullable(Type.Array(item), { description })

export const WorkloadParameters = Type.Object({
  ...ObjectParameters.properties,
  kind: WorkloadKind,
})

export const WorkloadDetail = Type.Object(
  {
    ...Workload.properties,
    pods: part(Pod, 'Its own pods, at most 1,000; of a cron job those of its last 20 jobs'),
    containers: part(
      Type.Object(
        {
          name: Text,
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

export const workloadDetailBody = ({ workload, ...parts }: Detail) => ({ ...workload, ...parts })

export const exampleWorkloadDetail = workloadDetailBody({
  workload: exampleWorkload,
  pods: [],
  containers: [
    {
      name: 'app',
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
})
