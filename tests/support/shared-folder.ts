import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lazily } from '#src/lib/concurrency/lazily.ts'

const folders: string[] = []

/** A folder for what all tests of a process share. It goes with the process, or after the last test. */
export const sharedFolder = lazily(() => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-shared-'))
  folders.push(folder)
  process.once('exit', removeSharedFolders)
  return folder
})

export function removeSharedFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
