import { timeOf, type Links } from '../links.ts'
import { fullName, type PullRequest, type Repository } from '../state.ts'
import { showAccount } from './accounts.ts'
import { showRepository } from './show-repository.ts'

export const showLabel = ({ id, name }: PullRequest['labels'][number]) => ({ id, name })

const timeOrNull = (at: number | null) => (at === null ? null : timeOf(at))

/** As in lists: without `mergeable` and `merged`. */
export function showPull(links: Links, repository: Repository, pull: PullRequest) {
  const side = (ref: string, sha: string) => ({
    label: `${repository.owner.login}:${ref}`,
    ref,
    sha,
    user: showAccount(links, repository.owner),
    repo: showRepository(links, repository),
  })
  return {
    id: pull.id,
    html_url: `${links.web}/${fullName(repository)}/pull/${pull.number}`,
    number: pull.number,
    state: pull.state,
    title: pull.title,
    user: showAccount(links, pull.user),
    body: pull.body,
    created_at: timeOf(pull.createdAt),
    updated_at: timeOf(pull.closedAt ?? pull.createdAt),
    closed_at: timeOrNull(pull.closedAt),
    merged_at: timeOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommit,
    requested_reviewers: pull.reviewers.map((each) => showAccount(links, each)),
    requested_teams: pull.reviewingTeams.map((slug) => ({ name: slug, slug })),
    labels: pull.labels.map(showLabel),
    draft: pull.draft,
    head: side(pull.head, pull.headCommit),
    base: side(pull.base, pull.baseCommit),
  }
}

const stateOf = (mergeable: boolean | null) => {
  if (mergeable === null) return 'unknown'
  return mergeable ? 'clean' : 'dirty'
}

/** As the answer about one pull request. */
export const showWholePull = (
  links: Links,
  repository: Repository,
  pull: PullRequest,
  mergeable: boolean | null,
) => ({
  ...showPull(links, repository, pull),
  merged: pull.mergedAt !== null,
  mergeable,
  mergeable_state: stateOf(mergeable),
  merged_by: pull.mergedBy && showAccount(links, pull.mergedBy),
})
