import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Writes a file that nobody else may read. By rename: a process that ends in the middle leaves no half of one. */
export function writeOwnerOnly(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const unfinished = `${path}.new`
  writeFileSync(unfinished, text, { mode: OWNER_ONLY_FILE })
  renameSync(unfinished, path)
}

/** The text of such a file, made when it is not there. */
export function keepOwnerOnly(path: string, make: () => string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8')
  const made = make()
  writeOwnerOnly(path, made)
  return made
}
