import type { Changes, Tip } from '../../lib/ports/forge.ts'
import type { Forge } from '../../lib/ports/forge.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { GitFailure, PullRequest } from '../../lib/ports/git-host.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { ok, type Result } from '../../lib/result.ts'

/** A pull request that is about to be opened. */
export interface Proposal {
  readonly tips: readonly Tip[]
  readonly head: Tip | undefined
  readonly base: Tip | undefined
  readonly comparison: Comparison | null
}

/** The way from one branch to another. */
export interface Comparison {
  readonly commits: PathCommits
  readonly changes: Changes
  /** The one that is open between them. */
  readonly open: PullRequest | undefined
}

type Reads = Pick<Forge, 'browse' | 'findPullRequests'>

/** By default nothing is merged into the default branch. An unknown branch counts as none. */
export async function readProposal(
  forge: Reads,
  id: RepositoryId,
  query: URLSearchParams,
): Promise<Result<Proposal, GitFailure>> {
  const found = await forge.browse.tips(id)
  if (!found.ok) return found
  const { tips } = found.value
  const named = (name: string | null) => tips.find(({ branch }) => branch === name)
  const head = named(query.get('head'))
  const base = named(query.get('base')) ?? tips.find(({ isDefault }) => isDefault)
  if (head === undefined || base === undefined || head.branch === base.branch) {
    return ok({ tips, head, base, comparison: null })
  }
  const comparison = await compare(forge, id, { head, base })
  return comparison.ok ? ok({ tips, head, base, comparison: comparison.value }) : comparison
}

async function compare(
  forge: Reads,
  id: RepositoryId,
  { head, base }: { readonly head: Tip; readonly base: Tip },
): Promise<Result<Comparison, GitFailure>> {
  const [commits, changes, open] = await Promise.all([
    forge.browse.history(id, { of: head.commit, without: base.commit }),
    forge.browse.comparison(id, { base: base.commit, head: head.commit }),
    forge.findPullRequests(id, { head: head.branch, base: base.branch, state: 'open' }),
  ])
  if (!commits.ok) return commits
  if (!changes.ok) return changes
  return open.ok
    ? ok({ commits: commits.value, changes: changes.value, open: open.value[0] })
    : open
}
