import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Writes a file that only its owner may read. The rename makes it atomic. */
export function writeOwnerOnly(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const temporary = `${path}.new`
  writeFileSync(temporary, text, { mode: OWNER_ONLY_FILE })
  renameSync(temporary, path)
}

/** Reads an owner-only file, or creates it if it is missing. */
export function keepOwnerOnly(path: string, make: () => string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8')
  const made = make()
  writeOwnerOnly(path, made)
  return made
}
