import type { RepositoryId } from '../../../names.ts'
import type { GitContent, GitFailure, NewPullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Branches } from '../hosted/branches.ts'
import { type HostClient, refusalOf } from '../hosted/api/client.ts'
import { type KnownRepositories, nameOf } from '../hosted/known-repositories.ts'
import { addExtras, type PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import { createPullRequests, type PullRequestMeans } from '../hosted/pull-requests.ts'
import type { GitHostMeans } from '../means.ts'
import { labelIds } from './labels.ts'

/** Gitea's default bound of a page, `MAX_RESPONSE_ITEMS`. */
const PER_PAGE = 50
/** Gitea says `mergeable: false` while it computes, too. */
const SETTLING_MS = 60_000

export interface GiteaPullRequestMeans extends Pick<
  PullRequestMeans,
  'client' | 'known' | 'inTurn' | 'clock'
> {
  readonly branches: Pick<Branches, 'tipOf'>
  readonly content: Pick<GitContent, 'listCommits'>
  readonly log: GitHostMeans['log']
}

export const createGiteaPullRequests = (means: GiteaPullRequestMeans, policy: PullRequestPolicy) =>
  createPullRequests({
    ...means,
    settlingMs: SETTLING_MS,
    queryOf: (_, { base }) => ({
      limit: PER_PAGE,
      ...(base !== undefined && { base_branch: base }),
    }),
    mayOpenTwo: true,
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

/** Gitea opens pull requests without changes as well. */
async function requireProposable(
  {
    known,
    branches,
    content,
  }: Pick<GiteaPullRequestMeans, 'branches' | 'content'> & { readonly known: KnownRepositories },
  repository: RepositoryId,
  { head, base }: NewPullRequest,
): Promise<Result<void, GitFailure>> {
  const writable = await known.requireWritable(repository)
  if (!writable.ok) return writable
  const [of, without] = await Promise.all([
    branches.tipOf(repository, head),
    branches.tipOf(repository, base),
  ])
  if (!of.ok) return of
  if (!without.ok) return without
  if (of.value === null || without.value === null) {
    return err(await known.absent(repository, 'branch'))
  }
  const range = { of: of.value, without: without.value, limit: 1 }
  const own = of.value === without.value ? ok([]) : await content.listCommits(repository, range)
  if (!own.ok) return own
  return own.value.length === 0 ? err({ kind: 'git_nothing_to_commit' }) : ok(undefined)
}

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
