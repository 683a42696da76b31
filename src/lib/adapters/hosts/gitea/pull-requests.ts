import type { RepositoryId } from '../../../names.ts'
import { refusalOf } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/index.ts'
import { nameOf } from '../hosted/known-repositories.ts'
import { addExtras } from '../hosted/pull-request-extras.ts'
import { createPullRequests, pullsApi, requireProposable } from '../hosted/pull-requests.ts'
import type { PullRequestPolicy } from '../hosted/settings.ts'
import { labelIds } from './labels.ts'

/** Gitea's default bound of a page, `MAX_RESPONSE_ITEMS`. */
const PER_PAGE = 50
/** Gitea says `mergeable: false` while it computes, too. */
const SETTLING_MS = 60_000

export const createGiteaPullRequests = (hosted: Hosted, policy: PullRequestPolicy) =>
  createPullRequests({
    ...hosted,
    api: pullsApi(hosted.clock, SETTLING_MS, (_, { base }) => ({
      limit: PER_PAGE,
      ...(base !== undefined && { base_branch: base }),
    })),
    requireProposable: (repository, request) => requireProposable(hosted, repository, request),
    failureOf: async (repository, _, answer) =>
      answer.status === 404
        ? hosted.known.absent(repository, 'branch')
        : refusalOf(answer, {
            repository: nameOf(repository),
            right: 'issues and pull requests: write',
          }),
    addExtras: (repository, number) => addLabelsAndReviewers(hosted, repository, number, policy),
  })

async function addLabelsAndReviewers(
  hosted: Pick<Hosted, 'client' | 'log'>,
  repository: RepositoryId,
  number: number,
  { labels, reviewers }: PullRequestPolicy,
): Promise<void> {
  const ids = await (labels.length === 0
    ? new Map<string, number>()
    : labelIds(hosted.client, repository, labels))
  const missing = labels.filter((label) => !ids.has(label))
  if (missing.length > 0) {
    hosted.log.warn(
      { repository: nameOf(repository), number, missing },
      'labels of a new pull request do not exist at the git host',
    )
  }
  await addExtras(hosted, repository, number, { labels: [...ids.values()], reviewers })
}
