import type { ObjectId } from '../../../names.ts'
import type { PathCommit } from '../../../ports/git-host/history.ts'

/**
 * Merges the commits of several paths, each newest first, into one such list with each commit once. A commit of two paths, such as one
 * that renames a folder, and a parent come in the order that they have; only between unrelated ones do the times decide.
 */
export function mergeLogs(logs: readonly (readonly PathCommit[])[]): readonly PathCommit[] {
  const merged = new Map<ObjectId, PathCommit>()
  const waiting = logs.map((log) => [...log])
  for (;;) {
    for (const log of waiting) {
      while (log[0] !== undefined && merged.has(log[0].id)) log.shift()
    }
    const heads = waiting.flatMap((log) => log[0] ?? [])
    const later = new Set(waiting.flatMap((log) => log.slice(1).map(({ id }) => id)))
    const parents = new Set(heads.flatMap((head) => head.parents))
    const ready = heads.filter(({ id }) => !later.has(id) && !parents.has(id))
    const next = newestOf(ready.length > 0 ? ready : heads)
    if (next === undefined) return [...merged.values()]
    merged.set(next.id, next)
  }
}

/** A commit without a time is not newer than others. */
const newestOf = (commits: readonly PathCommit[]): PathCommit | undefined =>
  commits.toSorted((one, other) => (other.committedAt ?? 0) - (one.committedAt ?? 0))[0]
