import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../../names.ts'
import { apiPath, refusalOf } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/index.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'
import { addExtras } from '../hosted/pull-request-extras.ts'
import { type PullRequestApi, pullsApi } from '../hosted/pull-requests.ts'
import type { PullRequestPolicy } from '../hosted/settings.ts'

/** Of labels. */
const PAGES_MAX = 20
const Label = Compile(Type.Object({ id: Type.Integer(), name: Type.String() }))
/** Gitea's default bound of a page, `MAX_RESPONSE_ITEMS`. */
const PER_PAGE = 50
/** Gitea says `mergeable: false` while it computes, too. */
const SETTLING_MS = 60_000

export const pullRequestApi = (hosted: Hosted, policy: PullRequestPolicy): PullRequestApi => ({
  ...pullsApi(hosted.clock, SETTLING_MS, (_, { base }) => ({
    limit: PER_PAGE,
    ...(base !== undefined && { base_branch: base }),
  })),
  ofCommit: (repository, commit) => ({
    path: `${pathOf(repository)}${apiPath`/commits/${commit}/pull`}`,
    none: 404,
  }),
  opensEmpty: true,
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

/** Ids of labels of a repository and of its organisation, by name; Gitea before 1.23 takes labels by id alone. */
async function labelIds(
  client: Hosted['client'],
  repository: RepositoryId,
  labels: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>()
  for (const path of [apiPath`/orgs/${repository.owner}/labels`, `${pathOf(repository)}/labels`]) {
    const pages = await client.readPages(path, {
      query: { limit: PER_PAGE },
      pagesMax: PAGES_MAX,
    })
    // Refused: the owner is a person.
    if (!pages.ok || pages.value.kind === 'refused') continue
    for (const item of pages.value.items) {
      if (Label.Check(item) && labels.includes(item.name)) ids.set(item.name, item.id)
    }
  }
  return ids
}
