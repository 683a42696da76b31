import { version } from '../package.json'

export const VERSION = version

/** Of the executable, set when it is built; `null` when run from source. */
export const COMMIT = process.env['PORTICO_COMMIT'] ?? null
