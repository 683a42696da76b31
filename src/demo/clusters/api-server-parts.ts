import type { Clock } from '../../lib/ports/clock.ts'
import type { ClusterUser } from './access.ts'
import type { Cluster } from './cluster.ts'
import type { Streams } from './streams.ts'

/** Parts of a simulated API server. */
export interface ApiServer {
  readonly cluster: Pick<Cluster, 'store' | 'patch'>
  readonly streams: Streams
  readonly clock: Clock
  /** The user of a token; `undefined` for a token that is not accepted. */
  readonly authenticate: (token: string) => Promise<ClusterUser | undefined>
  readonly onBug: (error: unknown) => void
}
