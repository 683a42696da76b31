/** Preloaded into the process under test: the longest time its event loop was held, written to a file when asked. */
import { writeFileSync } from 'node:fs'

const file = process.env['LOOP_LAG_FILE'] ?? ''
const SAMPLE_MS = 1
let longest = 0
let last = performance.now()

setInterval(() => {
  const now = performance.now()
  longest = Math.max(longest, now - last - SAMPLE_MS)
  last = now
}, SAMPLE_MS).unref()

process.on('SIGUSR2', () => {
  writeFileSync(file, String(longest))
  longest = 0
})
