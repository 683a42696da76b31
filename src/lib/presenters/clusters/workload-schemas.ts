import { Type } from 'typebox'
import { type ResourceName, RESOURCES } from '../../domain/clusters/resources.ts'
import type { Workload as Row } from '../../domain/clusters/workloads/join.ts'
import { HEALTHS } from '../../domain/clusters/workloads/workload.ts'
import { Nullable } from '../../schema/nullable.ts'
import { literals, ObjectParameters, replicaCounts } from './schemas.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

/** Names of kinds in queries and paths. */
export const KINDS = Object.keys(RESOURCES)
const kinds = (names: readonly string[]) =>
  Type.Unsafe<ResourceName>({ ...literals(names), examples: names.slice(0, 1) })
export const WorkloadKind = kinds(KINDS)

/** Path parameters of a workload of a kind that `kubectl rollout restart` restarts. */
export const RestartedParameters = Type.Object({
  ...ObjectParameters.properties,
  kind: kinds(
    Object.entries(RESOURCES).flatMap(([name, { restarts }]) => (restarts ? [name] : [])),
  ),
})

export const verdictMembers = {
  health: literals(HEALTHS),
  reason: Nullable(
    Type.String({
      description: 'Such as `OOMKilled`, `ImagePullBackOff`, `Unschedulable`, `Paused`',
    }),
  ),
  message: Type.String({ description: 'One sentence, for people' }),
  since: Nullable(Type.String({ description: 'Since when it is so, as far as is known' })),
}

export const Workload = Type.Object(
  {
    kind: literals(Object.values(RESOURCES).map(({ kind }) => kind)),
    name: Text,
    namespace: Text,
    uid: Text,
    ...verdictMembers,
    replicas: Nullable(Type.Object(replicaCounts, { $id: 'WorkloadReplicas' })),
    images: Type.Array(Text),
    revision: Nullable(Text),
    createdAt: Text,
    deletionTimestamp: Nullable(Text),
    labels: Type.Record(Type.String(), Text),
    suspended: Type.Boolean(),
    completions: Nullable(
      Type.Object(
        {
          desired: Count,
          succeeded: Count,
          failed: Count,
          active: Count,
          parallelism: Nullable(Count, {
            description:
              'How many pods run at once if the job does not say how many must succeed; `null` if it does',
          }),
        },
        { $id: 'JobCompletions' },
      ),
    ),
    schedule: Nullable(Text),
    lastScheduleAt: Nullable(Text),
  },
  { $id: 'Workload' },
)

export const exampleWorkload: Row = {
  kind: 'Deployment',
  name: 'payments-api',
  namespace: 'payments-dev',
  uid: '3f1c7a54-2f0e-4c1e-8f55-0c7a5f1f2a11',
  health: 'Degraded',
  reason: 'ImagePullBackOff',
  message:
    '1 of 1 new pods: ImagePullBackOff; the old version still serves. Back-off pulling image "ghcr.io/acme/payments-api:1.5.1"',
  since: '2026-11-21T09:28:02Z',
  replicas: { desired: 2, updated: 1, ready: 2, available: 2, unavailable: 1 },
  images: ['ghcr.io/acme/payments-api:1.5.1'],
  revision: '7',
  createdAt: '2026-10-02T08:00:00Z',
  deletionTimestamp: null,
  labels: { 'app.kubernetes.io/name': 'payments-api' },
  suspended: false,
  completions: null,
  schedule: null,
  lastScheduleAt: null,
}
