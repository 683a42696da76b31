import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder for the tests of a file or of a describe, which goes after the last of them. */
export function folderOfTests(): string {
  const path = mkdtempSync(join(tmpdir(), 'portico-test-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
