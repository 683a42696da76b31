import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Catalog } from '../domain/catalog/catalog.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { Clock } from '../ports/clock.ts'
import { addGauge } from './gauge.ts'
import { meteredPort } from './metered-port.ts'
import { addProcessMetrics } from './process-metrics.ts'
import {
  type Answer,
  createRequestCounts,
  DURATION_BOUNDS_MS,
  type RequestCount,
} from './request-counts.ts'

/** What we call when we need something from outside. */
export type PortName = 'git_host' | 'secret_store' | 'clusters' | 'database' | 'identity'

export interface Metrics {
  /** The same port, its calls counted. */
  readonly port: <Port extends object>(name: PortName, port: Port) => Port
  /** Told of every answer. */
  readonly record: (answer: Answer) => void
  /** Told how a run ended: `complete`, or the code of its failure. */
  readonly runEnded: (outcome: string) => void
  /** From now on what is in the portal is told as well, and answers are counted by its routes. */
  observe(portal: ObservedPortal): void
  /** Everything, in the text format of Prometheus. */
  readonly text: () => Promise<string>
}

export interface ObservedPortal {
  /** Patterns, as the router has them. */
  readonly routes: readonly string[]
  readonly catalog: Pick<Catalog, 'peek'>
  readonly readiness: Pick<Readiness, 'state'>
}

export interface MetricsOptions {
  readonly clock: Clock
  readonly build: { readonly version: string; readonly commit: string }
}

/** From a query of the database to a git host's slowest answer. */
const CALL_BOUNDS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]
const COMPLETE = 'complete'

/** What Prometheus is told. No label holds anything that somebody outside has chosen. */
export function createMetrics({ clock, build }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  addProcessMetrics(registry)
  const calls = new Histogram({
    name: 'portico_upstream_call_duration_seconds',
    help: 'Calls to what Portico needs from outside, until the answer began.',
    labelNames: ['port', 'call'],
    buckets: CALL_BOUNDS_SECONDS,
    registers,
  })
  const failures = new Counter({
    name: 'portico_upstream_failures_total',
    help: 'Calls to what Portico needs from outside that failed, by kind of failure.',
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
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'commit', 'bun'],
    registers,
  }).set({ ...build, bun: Bun.version }, 1)
  let requests = createRequestCounts([])

  return {
    port: (port, made) =>
      meteredPort(made, {
        answered: (call, seconds) => calls.observe({ port, call }, seconds),
        failed: (call, kind) => failures.inc({ port, call, kind }),
      }),
    record: (answer) => requests.record(answer),
    runEnded: (outcome) => runs.inc({ outcome }),
    observe({ routes, catalog, readiness }) {
      requests = createRequestCounts(routes)
      addCatalogMetrics(registry, catalog, clock)
      addGauge(registry, 'portico_ready', '1 while /readyz says so.', () =>
        readiness.state() === 'ready' ? 1 : 0,
      )
    },
    async text() {
      const counted = Registry.aggregate([requestMetrics(requests.counts())])
      return [await registry.metrics(), await counted.metrics()].join('\n')
    },
  }
}

function addCatalogMetrics(registry: Registry, catalog: Pick<Catalog, 'peek'>, clock: Clock): void {
  addGauge(
    registry,
    'portico_catalog_age_seconds',
    'Since the catalog was last loaded, or confirmed to be what the repository has.',
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
    'What is wrong in the files of the catalog.',
    () => catalog.peek()?.value.problems.length,
  )
}

/** In the form that the library's own metrics have when they are read, since no class of its takes what is already counted. */
function requestMetrics(counts: readonly RequestCount[]): object[] {
  const total = {
    name: 'portico_http_requests_total',
    help: 'Requests that were answered.',
    type: 'counter',
    values: counts.map(({ method, route, status, byDuration }) => ({
      labels: { method, route, status: String(status) },
      value: byDuration.reduce((sum, count) => sum + count, 0),
    })),
  }
  const name = 'portico_http_request_duration_seconds'
  const duration = {
    name,
    help: 'Requests, until the answer began.',
    type: 'histogram',
    values: counts.flatMap(({ method, route, status, byDuration, totalMs }) => {
      const labels = { method, route, status_class: `${Math.trunc(status / 100)}xx` }
      let upTo = 0
      const buckets = byDuration.map((count, index) => {
        upTo += count
        const bound = DURATION_BOUNDS_MS[index]
        const le = bound === undefined ? '+Inf' : String(bound / 1_000)
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: upTo }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: totalMs / 1_000 },
        { metricName: `${name}_count`, labels, value: upTo },
      ]
    }),
  }
  return [total, duration]
}
