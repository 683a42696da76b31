import { expect, test } from 'bun:test'
import { condition, deployment, is, pod, RUNNING } from '#tests/domain/clusters/objects.ts'
import { list, sharedWorld, status } from './cluster-world.ts'

/** The same application as the oldest and the newest API servers that we know send it. */
const shared = sharedWorld()
const WORKLOADS = '/api/v1/clusters/dev-east/namespaces/payments-dev/workloads'

const meta = (name: string, uid: string, more: object = {}) => ({
  namespace: 'payments-dev',
  creationTimestamp: '2026-01-01T00:00:00Z',
  generation: 1,
  labels: { app: 'shop', 'pod-template-hash': 'h1' },
  name,
  uid,
  ...more,
})
const owned = (kind: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'shop', uid, controller: true }],
})
const ROLLED_OUT = [
  condition('Available', 'True', 'MinimumReplicasAvailable'),
  condition('Progressing', 'True', 'NewReplicaSetAvailable'),
]
const template = { spec: { containers: [{ name: 'a', image: 'shop:1' }] } }
const selector = { matchLabels: { app: 'shop' } }
const READY = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }

/** What a version sends beyond, or in place of, what every version sends. */
interface Version {
  readonly version: string
  readonly metadata: object
  readonly deployment: object
  readonly pod: { readonly spec: object; readonly status: object; readonly container: object }
  readonly sidecar: object
  readonly job: { readonly spec: object; readonly status: object }
  readonly set: object
  readonly service: object
  readonly autoscaler: object
  /** Types that an API server of the version may lack, and how it says so. */
  readonly absent: RegExp
  readonly more: Readonly<Record<string, readonly object[]>>
}

const OLD: Version = {
  version: 'v1.28.0',
  metadata: {},
  deployment: {},
  pod: { spec: {}, status: {}, container: {} },
  // Dropped while the feature gate of sidecars is off, its default then.
  sidecar: {},
  job: { spec: {}, status: {} },
  set: {},
  service: {},
  autoscaler: {},
  absent: /^\/apis\/(?:gateway\.networking|metrics)\.k8s\.io\//,
  more: {},
}

const UNKNOWN = { aFieldOfTheFuture: { nested: [1, 'two', null] } }
const NEW: Version = {
  version: 'v1.37.0',
  metadata: { ...UNKNOWN, managedFields: [{ manager: 'x', ...UNKNOWN }] },
  deployment: { ...UNKNOWN, terminatingReplicas: 0 },
  pod: {
    spec: {
      ...UNKNOWN,
      resources: { limits: { memory: '1Gi' } },
      ephemeralContainers: [{ name: 'debugger', image: 'busybox', targetContainerName: 'a' }],
    },
    status: {
      ...UNKNOWN,
      observedGeneration: 1,
      qosClass: 'Burstable',
      resourceClaimStatuses: [{ name: 'gpu' }],
      ephemeralContainerStatuses: [is('debugger')],
    },
    container: {
      ...UNKNOWN,
      restartPolicyRules: [{ action: 'Restart' }],
      livenessProbe: { aHandlerOfTheFuture: {}, periodSeconds: 5 },
    },
  },
  sidecar: { restartPolicy: 'Always' },
  job: {
    spec: { successPolicy: { rules: [] }, managedBy: 'kubernetes.io/job-controller' },
    status: {
      ...UNKNOWN,
      terminating: 0,
      ready: 0,
      conditions: [
        condition('SuccessCriteriaMet', 'True', 'SuccessPolicy'),
        condition('Complete', 'True', 'SuccessPolicy'),
        condition('AConditionOfTheFuture', 'Unknown'),
      ],
    },
  },
  set: { ordinals: { start: 1 }, persistentVolumeClaimRetentionPolicy: {}, ...UNKNOWN },
  service: { trafficDistribution: 'PreferSameNode', internalTrafficPolicy: 'Cluster' },
  autoscaler: { behavior: { scaleUp: { tolerance: '0.05' } }, ...UNKNOWN },
  absent: /^\/apis\/none\//,
  more: {
    httproutes: [
      {
        metadata: meta('shop', 'route'),
        spec: {
          hostnames: ['shop.internal'],
          rules: [{ backendRefs: [{ name: 'shop' }], ...UNKNOWN }],
        },
      },
    ],
  },
}

function listsOf(at: Version): Readonly<Record<string, readonly object[]>> {
  const of = (name: string, uid: string, more: object = {}) =>
    meta(name, uid, { ...at.metadata, ...more })
  const shop = deployment(
    {
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: ROLLED_OUT,
      ...at.deployment,
    },
    { replicas: 1, selector, template },
    of('shop', 'd'),
  )
  const shopPod = pod(
    {
      phase: 'Running',
      conditions: [READY],
      initContainerStatuses: [is('proxy', at === OLD ? { terminated: { exitCode: 0 } } : RUNNING)],
      containerStatuses: [is('a')],
      ...at.pod.status,
    },
    {
      initContainers: [{ name: 'proxy', image: 'proxy:1', ...at.sidecar }],
      containers: [{ name: 'a', image: 'shop:1', ...at.pod.container }],
      ...at.pod.spec,
    },
    of('shop-1', 'p', owned('ReplicaSet', 'r')),
  )
  return {
    deployments: [shop],
    replicasets: [
      {
        metadata: of('shop-h1', 'r', owned('Deployment', 'd')),
        spec: { replicas: 1, template },
        status: {
          replicas: 1,
          readyReplicas: 1,
          availableReplicas: 1,
          observedGeneration: 1,
          ...at.deployment,
        },
      },
    ],
    pods: [
      shopPod,
      pod(
        { phase: 'Running', conditions: [READY] },
        {},
        of('made-1', 'm', owned('LeaderWorkerSet', 'l')),
      ),
    ],
    statefulsets: [
      {
        metadata: of('db', 's'),
        spec: { replicas: 1, template, ...at.set },
        status: {
          observedGeneration: 1,
          replicas: 1,
          readyReplicas: 1,
          currentReplicas: 1,
          availableReplicas: 1,
        },
      },
    ],
    jobs: [
      {
        metadata: of('migrate', 'j'),
        spec: { template, ...at.job.spec },
        status: { succeeded: 1, conditions: [condition('Complete', 'True')], ...at.job.status },
      },
    ],
    services: [
      {
        metadata: of('shop', 'v'),
        spec: { selector: { app: 'shop' }, ports: [{ port: 80 }], ...at.service },
      },
    ],
    horizontalpodautoscalers: [
      {
        metadata: of('shop', 'h'),
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'shop' },
          maxReplicas: 3,
          ...at.autoscaler,
        },
        status: { currentReplicas: 1, desiredReplicas: 1 },
      },
    ],
    ...at.more,
  }
}

test.each([
  [OLD.version, OLD, { sidecar: false, roles: ['proxy', 'a'], routes: [] }],
  [NEW.version, NEW, { sidecar: true, roles: ['proxy', 'a', 'debugger'], routes: ['HTTPRoute'] }],
])('an API server of %s', async (_, version, expected) => {
  const lists = listsOf(version)
  const at = await shared((_, { path }) => {
    // As an API server answers for a group that it does not know.
    if (version.absent.test(path)) return new Response('404 page not found\n', { status: 404 })
    const [collection = '', last = ''] = path.split('/').slice(-2)
    if (last === 'shop') return Response.json(lists[collection]?.[0])
    if (path.startsWith('/apis/metrics.k8s.io/')) return status(404, 'not found')
    return list(lists[last] ?? [])
  })
  const workloads = (await (await at.get(WORKLOADS)).json()) as Record<string, unknown>[]
  expect(workloads.map(({ kind, name, health }) => [kind, name, health])).toStrictEqual([
    ['StatefulSet', 'db', 'Healthy'],
    // Its controller is of a kind that we do not know.
    ['Pod', 'made-1', 'Healthy'],
    ['Job', 'migrate', 'Healthy'],
    ['Deployment', 'shop', 'Healthy'],
  ])
  const response = await at.get(`${WORKLOADS}/deployment/shop`)
  expect(response.status).toBe(200)
  const detail = (await response.json()) as {
    readonly pods: readonly { readonly containers: readonly Record<string, unknown>[] }[]
    readonly routes: readonly { readonly kind: string }[]
    readonly refused: readonly string[]
  } & Record<string, unknown>
  const containers = detail.pods[0]?.containers ?? []
  expect({
    sidecar: containers[0]?.['sidecar'],
    roles: containers.map(({ name }) => name),
    routes: detail.routes.map(({ kind }) => kind),
  }).toStrictEqual(expected)
  expect(detail).toMatchObject({
    health: 'Healthy',
    services: [{ name: 'shop' }],
    autoscaler: { name: 'shop', maxReplicas: 3 },
    containers: [
      { name: 'proxy', usage: null },
      { name: 'a', usage: null },
    ],
    refused: [],
  })
})
