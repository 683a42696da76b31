/** Preloaded into the process: on SIGUSR2 it collects garbage and writes what its heap holds to `HEAP_COUNTS_FILE`, by type. */
import { heapStats } from 'bun:jsc'
import { renameSync, writeFileSync } from 'node:fs'

const path = process.env['HEAP_COUNTS_FILE']

process.on('SIGUSR2', () => {
  if (path === undefined) return
  Bun.gc(true)
  const { heapSize, heapCapacity, extraMemorySize, objectCount, objectTypeCounts } = heapStats()
  const counts = { heapSize, heapCapacity, extraMemorySize, objectCount, objectTypeCounts }
  writeFileSync(`${path}.new`, JSON.stringify({ ...counts, rss: process.memoryUsage.rss() }))
  renameSync(`${path}.new`, path)
})
