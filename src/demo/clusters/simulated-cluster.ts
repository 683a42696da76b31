import type { Clock } from '../../lib/ports/clock.ts'
import { createAuthorizer, type ClusterUser } from './access.ts'
import { createHandler } from './api/handle.ts'
import { createStreams } from './api/streams.ts'
import type { BehaviourOf } from './control/behaviour.ts'
import { createSimulation } from './simulation.ts'
import { createSync, type Wanted, type WantedApplication } from './workloads/sync.ts'
import type { NamespaceRow } from './workloads/workload.ts'

const REQUEST_BYTES_MAX = 2 * 1_048_576
const IDLE_SECONDS = 30

export interface SimulatedClusterOptions {
  readonly id: string
  /** PEM, for 127.0.0.1. */
  readonly certificate: string
  readonly key: string
  readonly namespaces: readonly NamespaceRow[]
  readonly behaviourOf: BehaviourOf
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
  /** Makes the applications of the gitops repository run. Returns those that may not: their namespace is another team's. */
  sync(wanted: Wanted): readonly WantedApplication[]
  close(): Promise<void>
}

/** A simulated cluster behind an API server over TLS that kubectl works with. */
export function createSimulatedCluster(options: SimulatedClusterOptions): SimulatedCluster {
  const { id, namespaces, behaviourOf, authenticate, clock, stepMs, onBug } = options
  const simulation = createSimulation({
    id,
    namespaces,
    behaviourOf,
    now: clock.now(),
    onBug,
    ...(stepMs !== undefined && { stepMs }),
  })
  const { store, timeline } = simulation
  const streams = createStreams()
  const handle = createHandler({
    store,
    timeline,
    streams,
    authenticate,
    onBug,
    allows: createAuthorizer(store),
  })
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
    sync: createSync(simulation),
    async close() {
      timeline.close()
      streams.closeAll()
      await server.stop(true)
    },
  }
}
