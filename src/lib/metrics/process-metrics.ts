import { readdirSync } from 'node:fs'
import { Counter, Histogram, type Registry } from '@prometheus-io/client'
import { addGauge } from './gauge.ts'

const LAG_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * Adds process metrics under the standard names of Prometheus clients. The library's own collection is made for Node; on Bun it
 * reports an infinite lag and a heap of gigabytes.
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
    help: 'Delay of a timer that is due every 100 ms; during the delay nothing is answered.',
    buckets: LAG_BUCKETS_SECONDS,
    registers: [registry],
  })
  watchEventLoop((seconds) => lag.observe(seconds))
}

/** `undefined` on systems without `/proc`. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

/** Interval of the timer. Stalls of at least this length are always measured. */
const SAMPLE_EVERY_MS = 100

/** Reports how late a periodic timer fires, which is how long the event loop was blocked. */
function watchEventLoop(observe: (lagSeconds: number) => void): void {
  let due = performance.now() + SAMPLE_EVERY_MS
  const timer = setInterval(() => {
    const now = performance.now()
    observe(Math.max(0, now - due) / 1_000)
    due = now + SAMPLE_EVERY_MS
  }, SAMPLE_EVERY_MS)
  timer.unref()
}
