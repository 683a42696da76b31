import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Keyring, parseKeys } from '../keyring.ts'
import { StartFailure } from '../../server.ts'

const OWNER_ONLY = 0o600

/** Keys that are made at the first start: sessions and secrets outlive a restart. */
export function keepKeys(path: string): Keyring {
  const keyring = parseKeys(
    keepFile(path, () => `demo:${randomBytes(32).toString('base64')}\n`).trim(),
  )
  if (keyring.ok) return keyring.value
  throw new StartFailure(
    `${path} holds no keys; remove it, and everything that they sealed is lost`,
  )
}

/** The text of a file, which only its owner can read, made when it is not there. */
export function keepFile(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const made = make()
  // By rename: a process that ends in the middle leaves no half a key.
  writeFileSync(`${path}.new`, made, { mode: OWNER_ONLY })
  renameSync(`${path}.new`, path)
  return made
}
