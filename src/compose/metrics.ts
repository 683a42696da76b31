import type { Config } from '../config/config.ts'
import type { AccessLog } from '../lib/logging/access-log.ts'
import type { PortName, RateLimitLeft } from '../lib/metrics/metrics.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Database } from '../lib/ports/database.ts'
import type { Portal } from './portal.ts'
import { StartFailure } from './server.ts'
import { COMMIT, VERSION } from '../version.ts'

/** Wraps the parts of a portal so that their calls are counted. */
export interface PortalMetrics {
  /** The port, with its calls counted. */
  readonly port: <Port extends object>(name: PortName, port: Port) => Port
  /** The log, with its entries counted. */
  readonly access: (log: AccessLog) => AccessLog
  readonly runEnded: (outcome: string) => void
  readonly rateLimited: (left: RateLimitLeft) => void
  observe(
    portal: Pick<Portal, 'app' | 'catalog' | 'readiness' | 'connections' | 'sessions'>,
    database: Pick<Database, 'lastBackup'>,
  ): void
}

const off: PortalMetrics = {
  port: (_, port) => port,
  access: (log) => log,
  runEnded() {},
  rateLimited() {},
  observe() {},
}

/** Listens at `METRICS_PORT`. Without that setting nothing is counted, and no metrics library is loaded. */
export async function openPortalMetrics(
  {
    HOST: host,
    METRICS_PORT: port,
    ALLOWED_HOSTS: allowedHosts,
  }: Pick<Config, 'HOST' | 'METRICS_PORT' | 'ALLOWED_HOSTS'>,
  clock: Clock,
): Promise<PortalMetrics> {
  if (port === null) return off
  const [{ createMetrics }, { listenForScrapes }] = await Promise.all([
    import('../lib/metrics/metrics.ts'),
    import('../lib/metrics/listener.ts'),
  ])
  const metrics = createMetrics({ clock, build: { version: VERSION, commit: COMMIT ?? 'none' } })
  const listener = listenForScrapes(host, port, allowedHosts, metrics.text)
  if (!listener.ok) throw new StartFailure(`cannot listen on ${host}:${port}: ${listener.error}`)
  return {
    port: metrics.port,
    access: (log) => ({
      record(entry) {
        log.record(entry)
        metrics.record(entry)
      },
    }),
    runEnded: metrics.runEnded,
    rateLimited: metrics.rateLimited,
    observe({ app, catalog, readiness, connections, sessions }, database) {
      const routes = app.elysia.routes.map(({ path }) => path)
      metrics.observe({ routes, catalog, readiness, connections, database, sessions })
    },
  }
}
