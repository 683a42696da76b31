import { version } from '../package.json'

export const VERSION = version

/** Of the executable, set when it is built; `null` when run from source. */
export const COMMIT = process.env['PORTICO_COMMIT'] ?? null

/** What makes the same of the same catalog file, set when the executable is built; `null` for the source, which changes under one name. */
export const CATALOG_READER = process.env['PORTICO_CATALOG_READER'] ?? null
