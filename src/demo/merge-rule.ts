import type { Principal } from '../lib/domain/access/principal.ts'
import type { BranchName } from '../lib/names.ts'
import { pushRuleFor } from './push-rule.ts'

interface MergedInto {
  /** The team of the repository. */
  readonly team: string | null
  readonly base: BranchName
  readonly defaultBranch: BranchName
}

/** A merge is a push to the base: whoever may push there may merge and close. */
export const mayMerge = (
  { email, groups }: Principal,
  platformGroup: string,
  { team, base, defaultBranch }: MergedInto,
): boolean =>
  pushRuleFor(
    { email: email ?? '', groups: groups.kind === 'known' ? groups.names : [] },
    platformGroup,
  )({
    team,
    ref: `refs/heads/${base}`,
    change: 'update',
    isDefaultBranch: base === defaultBranch,
    creator: null,
  }) === null
