import { statSync } from 'node:fs'
import { version } from '../package.json'

export const VERSION = version

/** Of the executable, set when it is built; `null` when run from source. */
export const COMMIT = process.env['PORTICO_COMMIT'] ?? null

/** What tells this executable from any other; `null` for the source, which changes under one name. */
export function buildId(): string | null {
  if (COMMIT === null) return null
  const { size, mtimeMs } = statSync(process.execPath)
  return `${VERSION} ${COMMIT} ${size} ${Math.trunc(mtimeMs)}`
}
