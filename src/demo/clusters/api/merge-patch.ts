import { isObject } from '../../../lib/text/json.ts'

/** RFC 7386: members replace, null removes, lists are replaced as a whole. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(merged)
}
