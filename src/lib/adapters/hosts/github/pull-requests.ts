import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, NewPullRequest } from '../../../ports/git-host.ts'
import type { Branches } from '../hosted/branches.ts'
import { type Answer, apiPath, hostError, messageOf } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/index.ts'
import { nameOf, notFound, pathOf } from '../hosted/known-repositories.ts'
import { addExtras } from '../hosted/pull-request-extras.ts'
import { type PullRequestApi, pullsApi } from '../hosted/pull-requests.ts'
import type { PullRequestPolicy } from '../hosted/settings.ts'
import { gitHubRefusal } from './api/refusal.ts'

const PER_PAGE = 100

export const pullRequestApi = (hosted: Hosted, policy: PullRequestPolicy): PullRequestApi => ({
  ...pullsApi(hosted.clock, 0, ({ owner }, { head, base }) => ({
    ...(head !== undefined && { head: `${owner}:${head}` }),
    ...(base !== undefined && { base }),
    sort: 'created',
    direction: 'desc',
    per_page: PER_PAGE,
  })),
  ofCommit: (repository, commit) => ({
    path: `${pathOf(repository)}${apiPath`/commits/${commit}/pulls`}`,
    query: { per_page: PER_PAGE },
  }),
  opensEmpty: false,
  failureOf: (repository, request, answer) =>
    failureOf(hosted.branches, repository, request, answer),
  addExtras: (repository, number) => addExtras(hosted, repository, number, policy),
})

/** GitHub refuses with 422 for many reasons, told apart by text alone. */
async function failureOf(
  branches: Pick<Branches, 'tipOf'>,
  repository: RepositoryId,
  { head, base }: NewPullRequest,
  answer: Answer,
): Promise<GitFailure> {
  if (answer.status !== 422) {
    const subject = { repository: nameOf(repository), right: 'pull_requests: write' }
    // The repository is there, so that 404 means a right that we lack.
    return answer.status === 404
      ? { kind: 'git_denied', what: `${subject.right} on ${subject.repository}` }
      : gitHubRefusal(answer, subject)
  }
  if (/No commits between/i.test(JSON.stringify(answer.json))) {
    return { kind: 'git_nothing_to_commit' }
  }
  for (const branch of [head, base]) {
    const tip = await branches.tipOf(repository, branch)
    if (!tip.ok) return tip.error
    if (tip.value === null) return notFound('branch').error
  }
  return hostError(`refused a pull request of ${head}: ${messageOf(answer)}`).error
}
