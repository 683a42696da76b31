import type { Clock } from '../../ports/clock.ts'
import type { Cluster, ClusterProbe, Kubernetes } from '../../ports/clusters.ts'

export interface ClusterHealth {
  readonly status: 'Ready' | 'NotReady' | 'Unreachable' | 'Unknown'
  /** Code for a status other than `Ready`. */
  readonly statusReason: string | null
  /** Milliseconds since the Unix epoch. */
  readonly checkedAt: number | null
  /** Version of Kubernetes, e.g. `v1.34.2`. */
  readonly version: string | null
}

const FRESH_MS = 15_000
const UNKNOWN: ClusterHealth = {
  status: 'Unknown',
  statusReason: 'not_checked_yet',
  checkedAt: null,
  version: null,
}

/** The last known health of clusters. Probes carry no credential, so that everybody gets the same result. */
export function createClusterHealth(probe: Kubernetes['probe'], clock: Clock) {
  // Keyed by identity: a cluster that the registry changed is probed anew.
  const healths = new WeakMap<Cluster, ClusterHealth>()
  const probing = new WeakSet<Cluster>()

  async function refresh(cluster: Cluster): Promise<void> {
    if (probing.has(cluster)) return
    probing.add(cluster)
    try {
      healths.set(cluster, healthOf(await probe(cluster), clock.now()))
    } catch {
      // A bug in a probe shows in the status instead of ending the process.
      healths.set(cluster, { ...UNKNOWN, statusReason: 'probe_failed', checkedAt: clock.now() })
    } finally {
      probing.delete(cluster)
    }
  }

  return {
    /** Never waits: probes in the background when the last health is old. */
    of(cluster: Cluster): ClusterHealth {
      const health = healths.get(cluster)
      const age = clock.now() - (health?.checkedAt ?? 0)
      if (health === undefined || age < 0 || age >= FRESH_MS) void refresh(cluster)
      return health ?? UNKNOWN
    },
    refresh,
  }
}

export function healthOf(probe: ClusterProbe, checkedAt: number): ClusterHealth {
  const version = 'version' in probe ? probe.version : null
  switch (probe.kind) {
    case 'ready':
      return { status: 'Ready', statusReason: null, checkedAt, version }
    case 'answers':
      return { status: 'Unknown', statusReason: 'anonymous_access_refused', checkedAt, version }
    case 'not_ready':
      return { status: 'NotReady', statusReason: 'not_ready', checkedAt, version }
    case 'unreachable':
      return { status: 'Unreachable', statusReason: probe.reason, checkedAt, version }
  }
}
