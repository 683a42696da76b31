/** An API server that sends prepared bytes of pods over TLS. Prints its port and its authority as JSON. */
import { makeAuthority } from '#tests/support/certificates.ts'

/** A pod of two containers as a cluster sends it, with managed fields: 8.8 KB. */
function podOf(index: number): object {
  const name = `shop-5d4f7c8b9-${index.toString(36).padStart(5, '0')}`
  const at = '2026-11-21T09:30:00Z'
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
    state: { running: { startedAt: at } },
    lastState: {
      terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: at, startedAt: at },
    },
    ready: true,
    restartCount: 1,
    image: `registry.example.org/acme/${of}:1.42.${index}`,
    imageID: `registry.example.org/acme/${of}@sha256:${'ab'.repeat(32)}`,
    containerID: `containerd://${'cd'.repeat(32)}`,
    started: true,
  })
  return {
    metadata: {
      name,
      generateName: 'shop-5d4f7c8b9-',
      namespace: 'payments',
      uid: `6f1d9d2e-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: at,
      labels: { app: 'shop', 'pod-template-hash': '5d4f7c8b9', team: 'payments', tier: 'backend' },
      annotations: { 'prometheus.io/scrape': 'true', checksum: 'ef'.repeat(32) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'shop-5d4f7c8b9',
          uid: 'u',
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
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
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
const pageBodies = new Map<string, Uint8Array>()

function page(total: number, start: number, limit: number): Uint8Array {
  const key = `${total} ${start} ${limit}`
  const known = pageBodies.get(key)
  if (known !== undefined) return known
  const end = Math.min(start + limit, total)
  const body = new TextEncoder().encode(
    JSON.stringify({
      kind: 'PodList',
      metadata: { resourceVersion: '7', ...(end < total && { continue: String(end) }) },
      items: Array.from({ length: end - start }, (_, i) => podOf(start + i)),
    }),
  )
  pageBodies.set(key, body)
  return body
}

const JSON_TYPE = { headers: { 'content-type': 'application/json' } }
const deployment = JSON.stringify({
  metadata: {
    name: 'shop',
    namespace: 'payments',
    uid: 'u',
    generation: 4,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { replicas: 2, template: { spec: { containers: [] } } },
  status: { observedGeneration: 4 },
})
const deployments = `{"kind":"DeploymentList","metadata":{"resourceVersion":"7"},"items":[${deployment}]}`

const authority = await makeAuthority()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  tls: await authority.issue(),
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const [, , , , namespace = ''] = pathname.split('/')
    if (searchParams.get('watch') === 'true') {
      return new Response(
        new ReadableStream({ start: (controller) => controller.enqueue('\n') }),
        JSON_TYPE,
      )
    }
    if (pathname.endsWith('/deployments')) return new Response(deployments, JSON_TYPE)
    if (pathname.startsWith('/apis/')) return new Response(deployment, JSON_TYPE)
    const total = Number(namespace.slice('pods-'.length))
    const start = Number(searchParams.get('continue') ?? 0)
    return new Response(page(total, start, Number(searchParams.get('limit'))), JSON_TYPE)
  },
})
// Prepared before the measurement.
for (const total of [1_000, 10_000]) {
  for (let start = 0; start < total; start += PAGE) page(total, start, PAGE)
}
console.log(JSON.stringify({ port: server.port, pem: authority.pem }))
