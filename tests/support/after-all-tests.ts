import { afterAll } from 'bun:test'
import { removeSharedFolders } from './shared-folder.ts'

/**
 * `bunfig.toml` loads this file first, so that the hook comes after the last test: Bun's test runner has no `exit`, and the hooks of
 * other modules come after the first file that imports them.
 */
afterAll(removeSharedFolders)
