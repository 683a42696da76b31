/** Preloaded into the process under test: the longest time its event loop was held, written to a file when asked. */
import { writeFileSync } from 'node:fs'
import { sampleStalls } from './stalls.ts'

const file = process.env['LOOP_LAG_FILE'] ?? ''
const longestStallMs = sampleStalls()

process.on('SIGUSR2', () => writeFileSync(file, String(longestStallMs())))
