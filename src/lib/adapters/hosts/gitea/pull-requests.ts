import type { RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GitContent } from '../../../ports/git-host.ts'
import type { Branches } from '../hosted/branches.ts'
import { type HostClient, refusalOf } from '../hosted/api/client.ts'
import { nameOf } from '../hosted/known-repositories.ts'
import { addExtras, type PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import {
  createPullRequests,
  type PullRequestMeans,
  pullsApi,
  requireProposable,
} from '../hosted/pull-requests.ts'
import type { GitHostMeans } from '../means.ts'
import { labelIds } from './labels.ts'

/** Gitea's default bound of a page, `MAX_RESPONSE_ITEMS`. */
const PER_PAGE = 50
/** Gitea says `mergeable: false` while it computes, too. */
const SETTLING_MS = 60_000

export interface GiteaPullRequestMeans extends Pick<
  PullRequestMeans,
  'client' | 'known' | 'inTurn'
> {
  readonly clock: Clock
  readonly branches: Pick<Branches, 'tipOf'>
  readonly content: Pick<GitContent, 'listCommits'>
  readonly log: GitHostMeans['log']
}

export const createGiteaPullRequests = (means: GiteaPullRequestMeans, policy: PullRequestPolicy) =>
  createPullRequests({
    ...means,
    api: pullsApi(means.clock, SETTLING_MS, (_, { base }) => ({
      limit: PER_PAGE,
      ...(base !== undefined && { base_branch: base }),
    })),
    requireProposable: (repository, request) => requireProposable(means, repository, request),
    failureOf: async (repository, _, answer) =>
      answer.status === 404
        ? means.known.absent(repository, 'branch')
        : refusalOf(answer, {
            repository: nameOf(repository),
            right: 'issues and pull requests: write',
          }),
    addExtras: (repository, number) => addLabelsAndReviewers(means, repository, number, policy),
  })

async function addLabelsAndReviewers(
  means: { readonly client: HostClient; readonly log: GitHostMeans['log'] },
  repository: RepositoryId,
  number: number,
  { labels, reviewers }: PullRequestPolicy,
): Promise<void> {
  const ids = await (labels.length === 0
    ? new Map<string, number>()
    : labelIds(means.client, repository, labels))
  const missing = labels.filter((label) => !ids.has(label))
  if (missing.length > 0) {
    means.log.warn(
      { repository: nameOf(repository), number, missing },
      'labels of a new pull request do not exist at the git host',
    )
  }
  await addExtras(means, repository, number, { labels: [...ids.values()], reviewers })
}
