import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '#tests/support/shared-folder.ts'

/** A data directory of its own for each process of Portico. It goes with the process that tests. */
export const newDataDirectory = (): string => mkdtempSync(join(sharedFolder(), 'data-'))
