import type { ForgeFailure } from '../lib/adapters/git-host/local/index.ts'
import { isPlatform, type Principal } from '../lib/domain/access/principal.ts'
import { problem } from '../lib/http/problem.ts'
import { json } from '../lib/http/respond.ts'
import type { RepositoryId, RepositoryPart } from '../lib/names.ts'
import type { Author, PullRequest } from '../lib/ports/git-host.ts'
import type { Result } from '../lib/result.ts'
import { preferredFormat } from '../lib/http/preferred-format.ts'
import { forgeProblem } from './forge-problem.ts'
import { redirect } from './page.ts'
import { pullRequestJson } from './pull-request-view.ts'

interface PullRequestAction {
  readonly request: Request
  readonly params: {
    readonly owner: RepositoryPart
    readonly repository: RepositoryPart
    readonly number: string
  }
  readonly principal: Principal
  readonly platformGroup: string
}

type Change = (
  repository: RepositoryId,
  number: number,
  by: Author,
) => Promise<Result<PullRequest, ForgeFailure>>

/** Merges or closes a pull request for the platform team, and answers a form or a program. */
export async function changePullRequest(
  { request, params, principal, platformGroup }: PullRequestAction,
  change: Change,
): Promise<Response> {
  if (!isPlatform(principal, platformGroup)) {
    return problem(request, { kind: 'forbidden', required: [platformGroup] })
  }
  const { owner, repository, number } = params
  const by = { name: principal.name, email: principal.email ?? '' }
  const changed = await change({ owner, name: repository }, Number(number), by)
  if (!changed.ok) return forgeProblem(request, changed.error)
  if (preferredFormat(request) === 'json') return json(pullRequestJson(changed.value))
  return redirect(`/git/${owner}/${repository}/pulls/${number}`)
}
