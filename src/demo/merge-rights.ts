import type { Forge } from './forge.ts'
import { mayMerge } from './merge-rule.ts'
import { people, type Person, principalOf } from './people.ts'
import type { Principal } from '../lib/domain/access/principal.ts'
import type { BranchName, RepositoryId } from '../lib/names.ts'
import type { GitFailure } from '../lib/ports/git-host.ts'
import { ok, type Result } from '../lib/result.ts'

export interface MergeRights {
  readonly isAllowed: boolean
  /** Those who may, to be asked. */
  readonly allowed: readonly Person[]
  /** The groups whose members may. */
  readonly groups: readonly string[]
}

/** Whether a person may merge and close pull requests into a branch, and who else. */
export async function mergeRights(
  forge: Pick<Forge, 'browse' | 'head'>,
  platformGroup: string,
  { id, base, principal }: MergeQuestion,
): Promise<Result<MergeRights, GitFailure>> {
  const [about, head] = await Promise.all([forge.browse.about(id), forge.head(id)])
  if (!about.ok) return about
  if (!head.ok) return head
  const into = { team: about.value.team, base, defaultBranch: head.value.branch }
  const may = (one: Principal) => mayMerge(one, platformGroup, into)
  const allowed = Object.values(people).filter((person) => may(principalOf(person)))
  const ownTeam = new Set(
    allowed.flatMap(({ groups }) => groups.filter((group) => group === about.value.team)),
  )
  return ok({ isAllowed: may(principal), allowed, groups: [...ownTeam, platformGroup] })
}

interface MergeQuestion {
  readonly id: RepositoryId
  readonly base: BranchName
  readonly principal: Principal
}
