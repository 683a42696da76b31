import { readdirSync } from 'node:fs'
import { Counter, Histogram, type Registry } from '@prometheus-io/client'
import { watchEventLoop } from './event-loop-lag.ts'
import { addGauge } from './gauge.ts'

const LAG_BOUNDS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * How the process is, under the names that Prometheus clients share. The library's own collection is of Node: on Bun it tells
 * an infinite lag, a heap of gigabytes and things that are not there.
 */
export function addProcessMetrics(registry: Registry): void {
  const startedAt = Date.now() / 1_000 - process.uptime()
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory.', () =>
    process.memoryUsage.rss(),
  )
  addGauge(registry, 'process_start_time_seconds', 'When the process started.', () => startedAt)
  addGauge(registry, 'process_open_fds', 'Open files and sockets.', openFiles)
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time, of user and system.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1_000_000)
    },
  })
  registry.registerMetric(cpu)
  const lag = new Histogram({
    name: 'portico_event_loop_lag_seconds',
    help: 'By how much a timer came late: for as long nothing was answered.',
    buckets: LAG_BOUNDS_SECONDS,
    registers: [registry],
  })
  watchEventLoop((seconds) => lag.observe(seconds))
}

/** Where the system tells. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
