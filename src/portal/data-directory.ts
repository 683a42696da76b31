import { accessSync, constants, mkdirSync } from 'node:fs'
import { StartFailure } from './server.ts'

/** Makes the data directory unless it is there, and tries whether it can be written to. */
export function makeWritable(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new StartFailure(`DATA_DIR cannot be written to (${code}): ${directory}`)
  }
}
