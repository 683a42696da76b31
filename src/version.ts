import { version } from '../package.json'

export const VERSION = version

/** Commit that the executable was built of; `null` when run from source. */
export const COMMIT = process.env['PORTICO_COMMIT'] ?? null

/** Digest of the code that parses catalog files, set when the executable is built; `null` when run from source, which may change at any time. */
export const CATALOG_READER = process.env['PORTICO_CATALOG_READER'] ?? null
