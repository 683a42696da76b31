import type { Clock } from '../../ports/clock.ts'
import type { Cluster, ClusterProbe, Kubernetes } from '../../ports/clusters.ts'

export interface ClusterHealth {
  readonly status: 'Ready' | 'NotReady' | 'Unreachable' | 'Unknown'
  /** Why it is not `Ready`: a code. */
  readonly statusReason: string | null
  /** In milliseconds since the Unix epoch. */
  readonly checkedAt: number | null
  /** Kubernetes' own, e.g. `v1.34.2`. */
  readonly version: string | null
}

const FRESH_MS = 15_000
const UNKNOWN: ClusterHealth = {
  status: 'Unknown',
  statusReason: 'not_checked_yet',
  checkedAt: null,
  version: null,
}

/**
 * How clusters are, as last seen. Asking never waits: what is old is looked at again meanwhile, once however many ask. The
 * same for everybody, since it is asked without anybody's credential.
 */
export function createClusterHealth(probe: Kubernetes['probe'], clock: Clock) {
  // By the cluster itself: one that the registry changed is looked at anew.
  const known = new WeakMap<Cluster, ClusterHealth>()
  const running = new WeakSet<Cluster>()

  async function look(cluster: Cluster): Promise<void> {
    if (running.has(cluster)) return
    running.add(cluster)
    try {
      const found = await probe(cluster)
      known.set(cluster, healthOf(found, clock.now()))
    } catch {
      // A bug in a probe must not end the process, and is seen where the status is.
      known.set(cluster, { ...UNKNOWN, statusReason: 'probe_failed', checkedAt: clock.now() })
    } finally {
      running.delete(cluster)
    }
  }

  return {
    of(cluster: Cluster): ClusterHealth {
      const health = known.get(cluster)
      const age = clock.now() - (health?.checkedAt ?? 0)
      if (health === undefined || age < 0 || age >= FRESH_MS) void look(cluster)
      return health ?? UNKNOWN
    },
    look,
  }
}

export function healthOf(probe: ClusterProbe, checkedAt: number): ClusterHealth {
  switch (probe.kind) {
    case 'ready':
      return { status: 'Ready', statusReason: null, checkedAt, version: probe.version }
    case 'answers':
      return {
        status: 'Unknown',
        statusReason: 'anonymous_access_refused',
        checkedAt,
        version: probe.version,
      }
    case 'not_ready':
      return { status: 'NotReady', statusReason: 'not_ready', checkedAt, version: null }
    case 'unreachable':
      return { status: 'Unreachable', statusReason: probe.reason, checkedAt, version: null }
  }
}
