import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'bun:test'

const made: string[] = []
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** A data directory of its own for each process of Portico, removed after the tests of a file. */
export function newDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-data-'))
  made.push(directory)
  return directory
}
