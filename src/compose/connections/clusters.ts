import type { EnvironmentName } from '../../lib/names.ts'
import { certificateFault } from '../../lib/outbound/connection-codes.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Cluster, ClusterProbe, Kubernetes } from '../../lib/ports/clusters.ts'
import { type ConnectionFinding, fails, works } from '../../lib/ports/connection-finding.ts'
import { openClusterRegistry } from '../cluster-registry.ts'

export interface ClustersToCheck {
  /** `CLUSTERS_FILE`; empty: there is none. */
  readonly path: string
  readonly environments: readonly EnvironmentName[]
  readonly kubernetes: Pick<Kubernetes, 'probe'>
  readonly clock: Clock
}

/** Reads the registry and asks each of its API servers, without a credential. */
export async function checkClusters({
  path,
  environments,
  kubernetes,
  clock,
}: ClustersToCheck): Promise<readonly ConnectionFinding[]> {
  if (path === '') return [works('There are no clusters: CLUSTERS_FILE is not set.')]
  const registry = openClusterRegistry({
    path,
    environments,
    clock,
    log: { info() {}, error() {} },
  })
  if (!registry.ok) return registry.error.map(fails)
  const clusters = registry.value.entries()
  registry.value.close()
  if (clusters.length === 0) return [works(`${path} lists no cluster.`)]
  return checkEach(clusters, kubernetes)
}

export const checkEach = (
  clusters: readonly Cluster[],
  kubernetes: ClustersToCheck['kubernetes'],
): Promise<readonly ConnectionFinding[]> =>
  Promise.all(clusters.map(async (cluster) => findingOf(cluster, await kubernetes.probe(cluster))))

function findingOf(cluster: Cluster, probe: ClusterProbe): ConnectionFinding {
  const { id, trust } = cluster
  const at = `${id} (${new URL(cluster.apiServer).host})`
  switch (probe.kind) {
    case 'ready':
      return works(`${at} is ready${versionText(probe.version)}; its certificate is valid.`)
    case 'answers':
      return works(
        `${at} answers${versionText(probe.version)}; its certificate is valid. It refuses anonymous requests, so its health is not known.`,
      )
    case 'not_ready':
      return fails(
        probe.isApiServer
          ? `${at} answers, but is not ready.`
          : `${at} does not answer as an API server does: check apiServer in the registry, and HTTPS_PROXY and NO_PROXY.`,
      )
    case 'unreachable':
      return fails(
        probe.reason === 'tls'
          ? `The certificate of ${at} ${certificateFault(probe.code, authorityRemedy(trust))}.`
          : `${at} ${unreachableText(probe.reason)}.`,
      )
  }
}

const versionText = (version: string | null) => (version === null ? '' : `, Kubernetes ${version}`)

const authorityRemedy = ({ kind }: Cluster['trust']): string =>
  kind === 'authority'
    ? 'the one in the registry (caFile or caData) did not sign it'
    : 'name the one that signed it in the registry (caFile or caData)'

function unreachableText(
  reason: Exclude<Extract<ClusterProbe, { kind: 'unreachable' }>['reason'], 'tls'>,
): string {
  switch (reason) {
    case 'connection_refused':
      return 'refuses the connection: nothing listens at this address and port'
    case 'connection_reset':
      return 'resets the connection: the port may not be one for TLS, or a proxy is in between'
    case 'host_not_found':
      return 'has a host name that cannot be resolved'
    case 'timeout':
      return 'does not answer: a firewall or a network policy may be in between'
    case 'other':
      return 'cannot be reached'
  }
}
