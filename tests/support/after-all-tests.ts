import { afterAll } from 'bun:test'
import { removeSharedFolders } from './shared-folder.ts'

/**
 * `bunfig.toml` loads this file first, so that the hook comes after the last test: Bun's test runner has no `exit`, and the hooks of
 * other modules come after the first file that imports them. The workers of `bun run test` keep
 * their modules from file to file, and their folder goes with the folder of the run.
 */
if (process.env['BUN_TEST_WORKER_ID'] === undefined) afterAll(removeSharedFolders)
