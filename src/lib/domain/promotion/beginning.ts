import type { ObjectId } from '../../names.ts'
import type { Commit } from '../../ports/git-host.ts'

/**
 * The commit of the default branch that a branch began at, or was last brought up to: its merge base. `own`: its commits that the
 * default branch has not, newest first. `undefined` if not all of them were listed.
 */
export function beginningOf(
  head: ObjectId,
  own: readonly Pick<Commit, 'id' | 'parents'>[],
  limit: number,
): ObjectId | undefined {
  if (own.length === 0) return head
  if (own.length >= limit) return undefined
  const ids = new Set(own.map(({ id }) => id))
  return own.flatMap(({ parents }) => parents).find((parent) => !ids.has(parent))
}
