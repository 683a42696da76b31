import type { Config } from '../config/config.ts'
import type { Outages } from '../lib/logging/outages.ts'
import { VERSION } from '../version.ts'
import type { PortalMetrics } from './metrics.ts'
import type { Service } from './server.ts'

/** Wraps the parts of a portal so that their work is traced. */
export interface PortalTracing {
  readonly port: PortalMetrics['port']
  readonly fetch: (answer: Service['fetch'], routes: readonly string[]) => Service['fetch']
  close(): Promise<void>
}

const off: PortalTracing = { port: (_, port) => port, fetch: (answer) => answer, async close() {} }

const COLLECTOR = 'the collector of traces'

/** Sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT`. Without that setting nothing is loaded. */
export async function openPortalTracing(
  config: Pick<
    Config,
    | 'OTEL_EXPORTER_OTLP_ENDPOINT'
    | 'OTEL_EXPORTER_OTLP_HEADERS'
    | 'OTEL_SERVICE_NAME'
    | 'OTEL_RESOURCE_ATTRIBUTES'
    | 'OTEL_TRACES_SAMPLER'
    | 'OTEL_TRACES_SAMPLER_ARG'
    | 'OTEL_SDK_DISABLED'
  >,
  outages: Outages,
): Promise<PortalTracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler } = config
  if (endpoint === null || config.OTEL_SDK_DISABLED) return off
  const [{ createTracer }, { createExporter }] = await Promise.all([
    import('../lib/tracing/tracer.ts'),
    import('../lib/tracing/exporter.ts'),
  ])
  const exporter = createExporter({
    url: new URL(`${endpoint.href.replace(/\/+$/, '')}/v1/traces`),
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: {
      'service.name': 'portico',
      'service.version': VERSION,
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      ...(config.OTEL_SERVICE_NAME !== null && { 'service.name': config.OTEL_SERVICE_NAME }),
    },
    version: VERSION,
    onSent(failure, dropped) {
      if (failure === null) outages.worked(COLLECTOR)
      else outages.failed(COLLECTOR, failure, { failure }, 'traces are dropped')
      if (failure === null && dropped > 0) {
        outages.refused(COLLECTOR, 'dropped', { dropped }, 'spans were dropped')
      }
    },
  })
  const fixed = sampler.endsWith('always_on') ? 1 : 0
  const tracer = createTracer(
    {
      followsParent: sampler.startsWith('parentbased_'),
      share: sampler.endsWith('traceidratio') ? config.OTEL_TRACES_SAMPLER_ARG : fixed,
    },
    exporter.add,
  )
  return {
    port: tracer.port,
    fetch: (answer, routes) => tracer.fetch(answer, routes),
    close: () => exporter.close(),
  }
}
