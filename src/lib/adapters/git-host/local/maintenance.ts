import type { ObjectId } from '../../../names.ts'
import { runGit } from './git.ts'

/** Loose objects and refs cost a file each; some thousands of them make every listing slow. */
const WRITES_BETWEEN = 500
const DEADLINE_MS = 10 * 60_000
/** To list 600 loose refs takes six times as long as to list them packed. */
const LOOSE_REFS_MAX = 64

type Refs = ReadonlyMap<string, ObjectId>

/**
 * Packs repositories in the background. What nothing refers to stays for git's two weeks, so that objects whose ref is yet to be
 * written are safe; git's own locks keep processes from doing the same at once. The outcome is nobody's: there is a next time.
 */
export function createMaintenance(writesBetween = WRITES_BETWEEN) {
  const writes = new Map<string, number>()
  const packed = new Map<string, Refs>()

  return {
    /** Packs everything after so many writes of this process. */
    afterWrite(directory: string): void {
      const count = (writes.get(directory) ?? 0) + 1
      writes.set(directory, count % writesBetween)
      if (count < writesBetween) return
      void runGit(directory, ['gc', '--quiet'], { deadlineMs: DEADLINE_MS })
    },

    /** Packs refs when many have come or moved since this process last did, whoever wrote them. */
    afterListing(directory: string, refs: Refs): void {
      const before = packed.get(directory)
      let loose = 0
      for (const [ref, id] of refs) if (before?.get(ref) !== id) loose += 1
      if (loose <= LOOSE_REFS_MAX) return
      packed.set(directory, refs)
      void runGit(directory, ['pack-refs', '--all'], { deadlineMs: DEADLINE_MS })
    },
  }
}

export type Maintenance = ReturnType<typeof createMaintenance>
