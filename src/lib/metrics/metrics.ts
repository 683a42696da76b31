import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { observeQueues } from '../concurrency/fair.ts'
import type { Sessions } from '../domain/access/sessions/sessions.ts'
import type { Catalog } from '../domain/catalog/catalog.ts'
import { relationsIn } from '../domain/catalog/relations.ts'
import type { Connections } from '../domain/connections.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import { addGauge } from './gauge.ts'
import { observedPort } from './observed-port.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { createRouteFinder } from './route-finder.ts'

/** Values of the label `port`. */
export type PortName = 'git_host' | 'secret_store' | 'clusters' | 'database' | 'identity'

/** One answered request. */
export interface Answer {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Time until the answer began. */
  readonly ms: number
}

export interface Metrics {
  /** Wraps a port so that its calls are counted. */
  readonly port: <Port extends object>(name: PortName, port: Port) => Port
  readonly record: (answer: Answer) => void
  /** Counts a run that ended: `complete`, or the code of its failure. */
  readonly runEnded: (outcome: string) => void
  /** Remembers what the git host has told of its rate limit. */
  readonly rateLimited: (left: RateLimitLeft) => void
  /** Adds gauges of the portal. From now on requests are labelled with its routes. */
  observe(portal: ObservedPortal): void
  /** Renders all metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>
}

export interface RateLimitLeft {
  readonly remaining: number
  /** Milliseconds since the Unix epoch. */
  readonly resetsAt: number
}

export interface ObservedPortal {
  /** Patterns of the router. */
  readonly routes: readonly string[]
  readonly catalog: Pick<Catalog, 'peek'>
  readonly readiness: Pick<Readiness, 'state'>
  readonly connections: Pick<Connections, 'last'>
  readonly database: Pick<Database, 'lastBackup'>
  readonly sessions: Pick<Sessions, 'countGrants'>
}

export interface MetricsOptions {
  readonly clock: Clock
  readonly build: { readonly version: string; readonly commit: string }
}

/** Histogram buckets of port calls, from a database query to a slow git host. */
const CALL_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]
/** Histogram buckets of requests, from in-memory answers to a slow git host. */
const REQUEST_BUCKETS_SECONDS = [
  0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
/** Histogram buckets of queues, from a turn of the event loop to the patience of a client. */
const QUEUE_BUCKETS_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 2.5, 10]
const COUNT_EVERY_MS = 60_000
/** Age from which a scrape begins new checks of the connections: each asks every system a few questions. */
const CONNECTIONS_AGE_MAX_MS = 10 * 60_000
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Label for methods outside this list; clients can send arbitrary ones. */
const OTHER_METHOD = 'other'
/** Label for paths that are not routes. */
const NO_ROUTE = 'none'
const COMPLETE = 'complete'

/** Metrics for Prometheus. No label value is chosen by a client. */
export function createMetrics({ clock, build }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  addProcessMetrics(registry)
  const calls = new Histogram({
    name: 'portico_upstream_call_duration_seconds',
    help: 'Duration of calls to upstream systems, until the answer began.',
    labelNames: ['port', 'call'],
    buckets: CALL_BUCKETS_SECONDS,
    registers,
  })
  const failures = new Counter({
    name: 'portico_upstream_failures_total',
    help: 'Failed calls to upstream systems, by kind of failure.',
    labelNames: ['port', 'call', 'kind'],
    registers,
  })
  const runs = new Counter({
    name: 'portico_scaffold_runs_total',
    help: 'Runs that ended in this process: complete, or the code of the failure.',
    labelNames: ['outcome'],
    registers,
  })
  runs.inc({ outcome: COMPLETE }, 0)
  new Gauge({
    name: 'portico_build_info',
    help: 'Always 1; the labels are the version, the commit and Bun.',
    labelNames: ['version', 'commit', 'bun'],
    registers,
  }).set({ ...build, bun: Bun.version }, 1)
  const requests = new Counter({
    name: 'portico_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Duration of requests, until the answer began.',
    labelNames: ['method', 'route', 'status_class'],
    buckets: REQUEST_BUCKETS_SECONDS,
    registers,
  })
  const queues = new Histogram({
    name: 'portico_queue_seconds',
    help: 'How long those waited who had to, by queue.',
    labelNames: ['queue'],
    buckets: QUEUE_BUCKETS_SECONDS,
    registers,
  })
  observeQueues((queue, seconds) => queues.observe({ queue }, seconds))
  let routeOf = createRouteFinder([])
  let limit: RateLimitLeft | undefined
  addRateLimitMetrics(registry, () => (limit && clock.now() < limit.resetsAt ? limit : undefined))

  return {
    port: (port, metered) =>
      observedPort(metered, {
        answered: (call, seconds) => calls.observe({ port, call }, seconds),
        failed: (call, { kind }) => failures.inc({ port, call, kind }),
      }),
    record({ method: requested, path, status, ms }) {
      const method = METHODS.has(requested) ? requested : OTHER_METHOD
      const route = routeOf(path) ?? NO_ROUTE
      requests.inc({ method, route, status: String(status) })
      const statusClass = `${Math.trunc(status / 100)}xx`
      durations.observe({ method, route, status_class: statusClass }, ms / 1_000)
    },
    runEnded: (outcome) => runs.inc({ outcome }),
    rateLimited(left) {
      limit = left
    },
    observe({ routes, catalog, readiness, connections, database, sessions }) {
      routeOf = createRouteFinder(routes)
      addGrantMetrics(registry, sessions, clock)
      addCatalogMetrics(registry, catalog, clock)
      addGauge(
        registry,
        'portico_backup_last_success_timestamp_seconds',
        'When the last whole backup began; absent before the first one.',
        async () => {
          const last = await database.lastBackup()
          return last.ok && last.value !== null ? last.value / 1_000 : undefined
        },
      )
      addGauge(registry, 'portico_ready', '1 while /readyz answers 200, else 0.', () =>
        readiness.state() === 'ready' ? 1 : 0,
      )
      addConnectionMetrics(registry, connections)
    },
    text: () => registry.metrics(),
  }
}

/** After its reset the limit is unknown until the next answer of the git host. */
function addRateLimitMetrics(registry: Registry, current: () => RateLimitLeft | undefined): void {
  addGauge(
    registry,
    'portico_git_host_rate_limit_remaining',
    'Requests that the git host allows before its limit resets, as of its last answer to this process.',
    () => current()?.remaining,
  )
  addGauge(
    registry,
    'portico_git_host_rate_limit_reset_timestamp_seconds',
    'Time at which the rate limit of the git host resets.',
    () => {
      const limit = current()
      return limit && limit.resetsAt / 1_000
    },
  )
}

/** They are counted once a minute, however often somebody scrapes. */
function addGrantMetrics(
  registry: Registry,
  sessions: Pick<Sessions, 'countGrants'>,
  clock: Clock,
): void {
  let counted = Number.NEGATIVE_INFINITY
  const gauge = new Gauge({
    name: 'portico_grants',
    help: 'Grants that have not ended, by kind of client.',
    labelNames: ['kind'],
    registers: [],
    async collect() {
      if (clock.now() < counted + COUNT_EVERY_MS) return
      counted = clock.now()
      const counts = await sessions.countGrants()
      if (!counts.ok) return this.reset()
      for (const [kind, grants] of Object.entries(counts.value)) this.set({ kind }, grants)
    },
  })
  registry.registerMetric(gauge)
}

/** A scrape shows the last checks, and waits for none. */
function addConnectionMetrics(registry: Registry, connections: Pick<Connections, 'last'>): void {
  const gauge = new Gauge({
    name: 'portico_connection_check',
    help: '1 when every finding of the check was good, else 0; absent before the first checks have ended.',
    labelNames: ['check'],
    registers: [],
    collect() {
      for (const { name, findings } of connections.last(CONNECTIONS_AGE_MAX_MS)?.subjects ?? []) {
        this.set({ check: name }, findings.every(({ ok }) => ok) ? 1 : 0)
      }
    },
  })
  registry.registerMetric(gauge)
}

function addCatalogMetrics(registry: Registry, catalog: Pick<Catalog, 'peek'>, clock: Clock): void {
  addGauge(
    registry,
    'portico_catalog_age_seconds',
    'Time since the catalog was loaded or its commit confirmed.',
    () => {
      const loaded = catalog.peek()
      return loaded && (clock.now() - loaded.loadedAt) / 1_000
    },
  )
  addGauge(
    registry,
    'portico_catalog_entities',
    'Entities in the catalog.',
    () => catalog.peek()?.value.entities.length,
  )
  addGauge(
    registry,
    'portico_catalog_problems',
    'Mistakes in the files of the catalog.',
    async () => {
      const loaded = catalog.peek()
      return loaded && (await relationsIn(loaded.value)).problems.length
    },
  )
}
