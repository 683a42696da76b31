import { createHandler } from './api-server.ts'
import type { ApiServer } from './api-server-parts.ts'
import { createCluster, type Wanted, type WantedApplication } from './cluster.ts'
import type { World } from './pod.ts'
import { createStreams } from './streams.ts'
import type { NamespaceRow } from './workloads.ts'

const REQUEST_BYTES_MAX = 1_048_576
const IDLE_SECONDS = 30
/** About as fast as a small cluster with a registry nearby. */
const STEP_MS = 1_500

export interface SimulatedCluster {
  readonly id: string
  /** Base URL of its API server on the loopback interface. */
  readonly url: string
  sync(wanted: Wanted): readonly WantedApplication[]
  close(): Promise<void>
}

/** A simulated cluster behind an API server over TLS, with a certificate (PEM) for 127.0.0.1. */
export function createSimulatedCluster({
  id,
  certificate,
  key,
  rows,
  images,
  stepMs = STEP_MS,
  ...options
}: Omit<ApiServer, 'cluster' | 'streams'> & {
  readonly id: string
  readonly certificate: string
  readonly key: string
  readonly rows: readonly NamespaceRow[]
  readonly images: World['images']
  readonly stepMs?: number
}): SimulatedCluster {
  const cluster = createCluster({ cluster: id, rows, images, stepMs, ...options })
  const streams = createStreams()
  const handle = createHandler({ cluster, streams, ...options })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: certificate, key },
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: REQUEST_BYTES_MAX,
    fetch(request, server) {
      // A watch may be silent for longer than IDLE_SECONDS.
      if (/[?&](?:watch|follow)=/.test(request.url)) server.timeout(request, 0)
      return handle(request)
    },
  })
  return {
    id,
    url: `https://127.0.0.1:${server.port}`,
    sync: cluster.sync,
    async close() {
      cluster.close()
      streams.closeAll()
      await server.stop(true)
    },
  }
}
