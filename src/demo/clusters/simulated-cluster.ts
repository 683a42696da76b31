import type { Clock } from '../../lib/ports/clock.ts'
import { allows, type ClusterUser } from './access.ts'
import { createHandler } from './api/handle.ts'
import { createStreams } from './api/streams.ts'
import { createSimulation } from './simulation.ts'
import { behaviours } from './workloads/clusters.ts'
import type { NamespaceRow } from './workloads/workload.ts'

const REQUEST_BYTES_MAX = 2 * 1_048_576
const IDLE_SECONDS = 30

export interface SimulatedClusterOptions {
  readonly id: string
  /** PEM, for 127.0.0.1. */
  readonly certificate: string
  readonly key: string
  readonly namespaces: readonly NamespaceRow[]
  /** The user of a token; undefined for a token that is not accepted. */
  readonly authenticate: (token: string) => Promise<ClusterUser | undefined>
  readonly clock: Clock
  /** Length of a step of a pod's life. Pulling the image takes about one, becoming ready another. */
  readonly stepMs?: number
  /** Called with unexpected errors of the simulation. The request is answered with 500 and the portal continues. */
  readonly onBug: (error: unknown) => void
}

export interface SimulatedCluster {
  readonly id: string
  /** Base URL of its API server on the loopback interface. */
  readonly url: string
  close(): Promise<void>
}

/** A simulated cluster behind an API server over TLS that kubectl works with. */
export function createSimulatedCluster(options: SimulatedClusterOptions): SimulatedCluster {
  const { id, namespaces, authenticate, clock, stepMs, onBug } = options
  const simulation = createSimulation({
    id,
    namespaces,
    behaviours,
    now: clock.now(),
    onBug,
    ...(stepMs !== undefined && { stepMs }),
  })
  const { store, timeline } = simulation
  const streams = createStreams()
  const handle = createHandler({ store, timeline, streams, authenticate, onBug, allows })
  timeline.follow(clock)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: options.certificate, key: options.key },
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
    async close() {
      timeline.close()
      streams.closeAll()
      await server.stop(true)
    },
  }
}
