/**
 * An API server that sends prepared bytes of pods over TLS. Prints its port and its authority as JSON. The name of a namespace says how many
 * pods it has: `pods-1000` has them, `crowd-1000` has fifty applications of twenty each, and `rollout-1000` one application, which
 * `POST /rollout` rolls out.
 */
import { makeAuthority } from '#tests/support/certificates.ts'

const NAME = 'app.kubernetes.io/name'
const CROWD_PODS = 20
const at = '2026-11-21T09:30:00Z'

interface PodOf {
  readonly revision?: number
  /** Of containers that run. */
  readonly ready?: boolean
  readonly phase?: 'Pending' | 'Running'
  readonly deletionTimestamp?: string
}

/** A pod of two containers as a cluster sends it, with managed fields: 8.8 KB. */
function podOf(
  index: number,
  app = 'shop',
  { revision = 1, ready = true, phase = 'Running', deletionTimestamp }: PodOf = {},
): Item {
  const hash = `5d4f7c8b${revision}`
  const name = `${app}-${hash}-${index.toString(36).padStart(5, '0')}`
  const container = (of: string) => ({
    name: of,
    image: `registry.example.org/acme/${of}:1.42.${index}`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 12 }, (_, i) => ({
      name: `SETTING_${i}`,
      value: `value-${i}-of-${of}`,
    })),
    resources: {
      limits: { cpu: '1', memory: '512Mi' },
      requests: { cpu: '100m', memory: '256Mi' },
    },
    volumeMounts: Array.from({ length: 3 }, (_, i) => ({
      name: `volume-${i}`,
      mountPath: `/var/run/${i}`,
    })),
    livenessProbe: {
      httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
      timeoutSeconds: 1,
    },
    imagePullPolicy: 'IfNotPresent',
  })
  const status = (of: string) => ({
    name: of,
    state:
      phase === 'Running'
        ? { running: { startedAt: at } }
        : { waiting: { reason: 'ContainerCreating' } },
    lastState: {
      terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: at, startedAt: at },
    },
    ready,
    restartCount: 1,
    image: `registry.example.org/acme/${of}:1.42.${index}`,
    imageID: `registry.example.org/acme/${of}@sha256:${'ab'.repeat(32)}`,
    containerID: `containerd://${'cd'.repeat(32)}`,
    started: true,
  })
  return {
    metadata: {
      name,
      generateName: `${app}-${hash}-`,
      namespace: 'payments',
      uid: `6f1d9d2e-0000-4000-800${revision}-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: at,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      labels: { [NAME]: app, 'pod-template-hash': hash, team: 'payments', tier: 'backend' },
      annotations: { 'prometheus.io/scrape': 'true', checksum: 'ef'.repeat(32) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-${hash}`,
          uid: `${app}-${hash}`,
          controller: true,
        },
      ],
      managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: managedFields(26) }],
    },
    spec: {
      containers: [container('shop'), container('proxy')],
      nodeName: `node-${index % 50}`,
      serviceAccountName: 'shop',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
      ],
    },
    status: {
      phase,
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: ready || !type.endsWith('Ready') ? 'True' : 'False',
        lastTransitionTime: at,
      })),
      podIP: '10.1.2.3',
      hostIP: '192.168.1.1',
      startTime: at,
      containerStatuses: [status('shop'), status('proxy')],
    },
  }
}

const managedFields = (count: number): object =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `k:{"type":"Field${i}"}`,
      { '.': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:reason': {} },
    ]),
  )

const PAGE = 500

interface Item {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

interface Place {
  readonly kind: string
  readonly total: number
}

function placeOf(namespace: string): Place {
  const [, kind = 'pods', total = '0'] = /^(pods|crowd|rollout)-(\d+)$/.exec(namespace) ?? []
  return { kind, total: Number(total) }
}

const appOf = ({ kind }: Place, index: number): string =>
  kind === 'crowd' ? `app-${Math.floor(index / CROWD_PODS)}` : 'shop'

/** The indexes of the pods that a selector selects, which is a label or a label and its value. */
function selected(place: Place, selector: string): readonly [start: number, end: number] {
  const [, nth] = /=app-(\d+)$/.exec(selector) ?? []
  if (place.kind !== 'crowd' || nth === undefined) return [0, place.total]
  return [Number(nth) * CROWD_PODS, Math.min((Number(nth) + 1) * CROWD_PODS, place.total)]
}

const workload = (name: string, app: string, more: object): Item => ({
  metadata: {
    name,
    labels: { [NAME]: app },
    namespace: 'payments',
    uid: name,
    generation: 4,
    resourceVersion: '7',
    creationTimestamp: at,
    ...more,
  },
})

const template = {
  spec: { containers: [{ name: 'shop', image: 'registry.example.org/shop:1.42.0' }] },
}

function deploymentOf(app: string, total: number, updated = total): Item {
  const replicas = { replicas: total, updatedReplicas: updated, readyReplicas: total }
  return {
    ...workload(app, app, { annotations: { 'deployment.kubernetes.io/revision': '1' } }),
    spec: { replicas: total, selector: { matchLabels: { [NAME]: app } }, template },
    status: { observedGeneration: 4, ...replicas, availableReplicas: total },
  }
}

function replicaSetOf(app: string, revision: number, total: number): Item {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: app, uid: app, controller: true }
  return {
    ...workload(`${app}-5d4f7c8b${revision}`, app, {
      ownerReferences: [owner],
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    }),
    spec: { replicas: total, template },
    status: {
      observedGeneration: 4,
      replicas: total,
      readyReplicas: total,
      availableReplicas: total,
    },
  }
}

/** The applications of a namespace, with their pods. */
function appsOf(place: Place, selector: string): readonly (readonly [app: string, pods: number])[] {
  const [start, end] = selected(place, selector)
  if (place.kind !== 'crowd') return [['shop', place.kind === 'pods' ? 2 : place.total]]
  const count = Math.ceil((end - start) / CROWD_PODS)
  return Array.from({ length: count }, (_, i) => [appOf(place, start + i * CROWD_PODS), CROWD_PODS])
}

const pageBodies = new Map<string, Uint8Array>()

function podPage(place: Place, selector: string, after: number, limit: number): Uint8Array {
  const [first, end] = selected(place, selector)
  const start = Math.max(first, after)
  const key = `${place.kind} ${start} ${end} ${limit}`
  const known = pageBodies.get(key)
  if (known !== undefined) return known
  const next = Math.min(start + limit, end)
  const body = new TextEncoder().encode(
    JSON.stringify({
      kind: 'PodList',
      metadata: { resourceVersion: '7', ...(next < end && { continue: String(next) }) },
      items: Array.from({ length: next - start }, (_, i) =>
        podOf(start + i, appOf(place, start + i)),
      ),
    }),
  )
  pageBodies.set(key, body)
  return body
}

const JSON_TYPE = { headers: { 'content-type': 'application/json' } }
const listOf = (items: readonly Item[]) =>
  new Response(
    JSON.stringify({ kind: 'List', metadata: { resourceVersion: '7' }, items }),
    JSON_TYPE,
  )

const watchers = new Map<string, Set<(line: string) => void>>()

function watch(plural: string, signal: AbortSignal): Response {
  const body = new ReadableStream<string>({
    start(controller) {
      const write = (line: string) => controller.enqueue(line)
      const all = watchers.get(plural) ?? new Set()
      watchers.set(plural, all.add(write))
      signal.addEventListener('abort', () => all.delete(write))
      write('\n')
    },
  })
  return new Response(body, JSON_TYPE)
}

let version = 100

function tell(plural: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', item: Item): void {
  version += 1
  const metadata = { ...item.metadata, resourceVersion: String(version) }
  const line = `${JSON.stringify({ type, object: { ...item, metadata } })}\n`
  for (const write of watchers.get(plural) ?? []) write(line)
}

const STEP_MS = 50

/** Replaces all pods one after the other, within a time. Each passes through what a kubelet reports. */
async function rollOut(total: number, seconds: number): Promise<void> {
  const steps = Math.ceil((seconds * 1_000) / STEP_MS)
  const pod = (index: number, how: PodOf) => podOf(index, 'shop', how)
  const stages: readonly (readonly [afterMs: number, (index: number) => void])[] = [
    [0, (i) => tell('pods', 'ADDED', pod(i, { revision: 2, phase: 'Pending', ready: false }))],
    [200, (i) => tell('pods', 'MODIFIED', pod(i, { revision: 2, phase: 'Pending', ready: false }))],
    [800, (i) => tell('pods', 'MODIFIED', pod(i, { revision: 2, ready: false }))],
    [1_600, (i) => tell('pods', 'MODIFIED', pod(i, { revision: 2 }))],
    [1_700, (i) => tell('pods', 'MODIFIED', pod(i, { deletionTimestamp: at }))],
    [2_700, (i) => tell('pods', 'MODIFIED', pod(i, { deletionTimestamp: at, ready: false }))],
    [2_900, (i) => tell('pods', 'DELETED', pod(i, { deletionTimestamp: at, ready: false }))],
  ]
  const from = stages.map(() => 0)
  const began = performance.now()
  for (let last = 0; last < total; last = from.at(-1) ?? total) {
    await Bun.sleep(STEP_MS)
    const passed = performance.now() - began
    for (const [nth, [afterMs, act]] of stages.entries()) {
      const until = Math.min(total, Math.floor(((passed - afterMs) / STEP_MS / steps) * total))
      for (let index = from[nth] ?? 0; index < until; index++) act(index)
      from[nth] = Math.max(from[nth] ?? 0, until)
    }
    const updated = from[3] ?? 0
    tell('deployments', 'MODIFIED', deploymentOf('shop', total, updated))
    tell('replicasets', 'MODIFIED', replicaSetOf('shop', 2, updated))
    tell('replicasets', 'MODIFIED', replicaSetOf('shop', 1, total - updated))
  }
}

const authority = await makeAuthority()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  tls: await authority.issue(),
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name) ?? 0)
    if (pathname === '/rollout') {
      await rollOut(number('pods'), number('seconds'))
      return Response.json({})
    }
    if (pathname === '/readyz') return new Response('ok')
    if (pathname.endsWith('/selfsubjectaccessreviews')) {
      return Response.json({ status: { allowed: true } }, { status: 201 })
    }
    const [, namespace = '', plural = '', name] =
      /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(pathname) ?? []
    const place = placeOf(namespace)
    const selector = searchParams.get('labelSelector') ?? ''
    if (searchParams.get('watch') === 'true') return watch(plural, request.signal)
    if (name !== undefined) return Response.json(deploymentOf('shop', 2))
    const apps = appsOf(place, selector)
    if (plural === 'deployments') return listOf(apps.map(([app, pods]) => deploymentOf(app, pods)))
    if (plural === 'replicasets')
      return listOf(apps.map(([app, pods]) => replicaSetOf(app, 1, pods)))
    if (plural !== 'pods') return listOf([])
    const [, index] =
      /^metadata\.name=.*-([0-9a-z]+)$/.exec(searchParams.get('fieldSelector') ?? '') ?? []
    if (index !== undefined) {
      const at = parseInt(index, 36)
      return listOf([podOf(at, appOf(place, at))])
    }
    return new Response(podPage(place, selector, number('continue'), number('limit')), JSON_TYPE)
  },
})
// Prepared before the measurement.
for (const total of [1_000, 10_000]) {
  for (let start = 0; start < total; start += PAGE) {
    podPage({ kind: 'pods', total }, '', start, PAGE)
  }
}
console.log(JSON.stringify({ port: server.port, pem: authority.pem }))
