import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailure } from './server.ts'

/** A file of the data directory that is there while a restore is not complete. Its folder may be left behind. */
export const UNFINISHED_RESTORE = 'restore.unfinished/id'

/** A service would answer with half of the data, and write to it. */
export function requireNoUnfinishedRestore(dataDirectory: string): void {
  if (!existsSync(join(dataDirectory, UNFINISHED_RESTORE))) return
  throw new StartFailure(
    `a restore into ${dataDirectory} was broken off: repeat \`portico restore FILE\`, which begins again`,
  )
}
