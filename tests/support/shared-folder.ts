import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lazily } from '#src/lib/concurrency/lazily.ts'

const folders: string[] = []

/**
 * A folder for what all tests of a process share. `bunfig.toml` loads this file first, so that the hook comes after the last test:
 * Bun's test runner has no `exit`, and the hooks of other modules come after the first file that imports them.
 */
export const sharedFolder = lazily(() => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-shared-'))
  folders.push(folder)
  return folder
})

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
