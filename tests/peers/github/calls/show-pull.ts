import { nodeId, timeOf, type Links } from '../links.ts'
import { fullName, type PullRequest, type Repository } from '../state.ts'
import { showAccount } from './accounts.ts'
import { showRepository } from './show-repository.ts'

export const showLabel = (
  links: Links,
  repository: Repository,
  label: PullRequest['labels'][number],
) => ({
  id: label.id,
  node_id: nodeId('LA', label.id),
  url: `${links.api}/repos/${fullName(repository)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  description: '',
  color: 'ededed',
  default: false,
})

const showTeam = (links: Links, repository: Repository, slug: string) => {
  const url = `${links.api}/organizations/${repository.owner.id}/team/${slug}`
  return {
    id: repository.owner.id,
    node_id: nodeId('T', slug),
    url,
    html_url: `${links.web}/orgs/${repository.owner.login}/teams/${slug}`,
    name: slug,
    slug,
    description: null,
    permission: 'pull',
    privacy: 'closed',
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    type: 'organization',
    parent: null,
  }
}

const timeOrNull = (at: number | null) => (at === null ? null : timeOf(at))

/** As in lists: without `mergeable` and `merged`. */
export function showPull(links: Links, repository: Repository, pull: PullRequest) {
  const name = fullName(repository)
  const url = `${links.api}/repos/${name}/pulls/${pull.number}`
  const issue = `${links.api}/repos/${name}/issues/${pull.number}`
  const html = `${links.web}/${name}/pull/${pull.number}`
  const statuses = `${links.api}/repos/${name}/statuses/${pull.headCommit}`
  const side = (ref: string, sha: string) => ({
    label: `${repository.owner.login}:${ref}`,
    ref,
    sha,
    user: showAccount(links, repository.owner),
    repo: showRepository(links, repository),
  })
  const link = (href: string) => ({ href })
  return {
    url,
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: showAccount(links, pull.user),
    body: pull.body,
    created_at: timeOf(pull.createdAt),
    updated_at: timeOf(pull.closedAt ?? pull.createdAt),
    closed_at: timeOrNull(pull.closedAt),
    merged_at: timeOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommit,
    assignee: null,
    assignees: [],
    requested_reviewers: pull.reviewers.map((each) => showAccount(links, each)),
    requested_teams: pull.reviewingTeams.map((slug) => showTeam(links, repository, slug)),
    labels: pull.labels.map((label) => showLabel(links, repository, label)),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${links.api}/repos/${name}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: side(pull.head, pull.headCommit),
    base: side(pull.base, pull.baseCommit),
    _links: {
      self: link(url),
      html: link(html),
      issue: link(issue),
      comments: link(`${issue}/comments`),
      review_comments: link(`${url}/comments`),
      review_comment: link(`${links.api}/repos/${name}/pulls/comments{/number}`),
      commits: link(`${url}/commits`),
      statuses: link(statuses),
    },
    author_association: 'MEMBER',
    auto_merge: null,
    active_lock_reason: null,
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
  rebaseable: mergeable,
  mergeable_state: stateOf(mergeable),
  merged_by: pull.mergedBy && showAccount(links, pull.mergedBy),
  comments: 0,
  review_comments: 0,
  maintainer_can_modify: false,
  commits: 1,
  additions: 1,
  deletions: 0,
  changed_files: 1,
})
