/** Preloaded into the process under test. On request it writes the longest stall of the event loop to a file. */
import { writeFileSync } from 'node:fs'
import { sampleStalls } from './stalls.ts'

const file = process.env['LOOP_LAG_FILE'] ?? ''
const longestStallMs = sampleStalls()

process.on('SIGUSR2', () => writeFileSync(file, String(longestStallMs())))
