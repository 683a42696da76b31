import type { ForgeFailure } from '../lib/adapters/hosts/forge/index.ts'
import type { Principal } from '../lib/domain/access/principal.ts'
import { json } from '../lib/http/respond.ts'
import type { RepositoryId, RepositoryPart } from '../lib/names.ts'
import type { Author, PullRequest } from '../lib/ports/git-host.ts'
import type { Result } from '../lib/result.ts'
import { preferredFormat } from '../lib/http/preferred-format.ts'
import type { DemoDeps } from './deps.ts'
import { forgeProblem } from './forge-problem.ts'
import { mergeRights } from './merge-rights.ts'
import { redirect } from './page.ts'
import { pullLink } from './pages/links.ts'
import { pullRequestJson } from './pages/pull-request-view.ts'

interface PullRequestAction {
  readonly request: Request
  readonly params: {
    readonly owner: RepositoryPart
    readonly repository: RepositoryPart
    readonly number: string
  }
  readonly principal: Principal
}

type Change = (
  repository: RepositoryId,
  number: number,
  by: Author,
) => Promise<Result<PullRequest, ForgeFailure>>

/** Merges or closes a pull request for those who may, and answers a form or a program. */
export async function changePullRequest(
  { forge, platformGroup }: Pick<DemoDeps, 'forge' | 'platformGroup'>,
  { request, params, principal }: PullRequestAction,
  change: Change,
): Promise<Response> {
  const id = { owner: params.owner, name: params.repository }
  const number = Number(params.number)
  const found = await forge.findPullRequests(id, { number })
  if (!found.ok) return forgeProblem(request, found.error)
  const [pullRequest] = found.value
  if (pullRequest === undefined) {
    return forgeProblem(request, { kind: 'forge_pull_request_not_found', number })
  }
  const { base } = pullRequest
  const rights = await mergeRights(forge, platformGroup, { id, base, principal })
  if (!rights.ok) return forgeProblem(request, rights.error)
  const { isAllowed, groups } = rights.value
  if (!isAllowed) return forgeProblem(request, { kind: 'forbidden', required: groups })

  const by = { name: principal.name, email: principal.email ?? '' }
  const changed = await change(id, number, by)
  if (!changed.ok) return forgeProblem(request, changed.error)
  if (preferredFormat(request) === 'json') return json(pullRequestJson(changed.value))
  return redirect(pullLink(id, number))
}
