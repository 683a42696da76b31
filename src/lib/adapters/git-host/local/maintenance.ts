import { runGit } from './git.ts'

/** Loose objects and refs cost a file each; some thousands of them make every listing slow. */
const WRITES_BETWEEN = 500
const DEADLINE_MS = 10 * 60_000

/**
 * Packs a repository in the background after so many writes of this process. What nothing refers to stays for git's two
 * weeks, so that objects whose ref is yet to be written are safe; git's own lock keeps other processes from doing it too.
 */
export function createMaintenance(writesBetween = WRITES_BETWEEN) {
  const writes = new Map<string, number>()
  return function afterWrite(directory: string): void {
    const count = (writes.get(directory) ?? 0) + 1
    writes.set(directory, count % writesBetween)
    if (count < writesBetween) return
    // Its outcome is nobody's: it is tried again after as many writes.
    void runGit(directory, ['gc', '--quiet'], { deadlineMs: DEADLINE_MS })
  }
}
