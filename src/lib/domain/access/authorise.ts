import { err, ok, type Result } from '../../result.ts'
import { isMember, type Principal } from './principal.ts'

export interface Forbidden {
  readonly kind: 'forbidden'
  readonly required: readonly string[]
  /** The environments that a workload may change, when this is another. */
  readonly environments?: readonly string[]
}

/** Requires one of the groups. Answers the groups that granted it. */
export function authorise(
  principal: Principal,
  required: readonly string[],
): Result<readonly string[], Forbidden> {
  const matched = required.filter((group) => isMember(principal, group))
  return matched.length > 0 ? ok(matched) : err({ kind: 'forbidden', required })
}
