import type { Call } from '../call.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
import { mayDo } from '../rights.ts'
import { fullName, type Credential, type Repository } from '../state.ts'
import { showAccount } from './accounts.ts'

function showPermissions(credential: Credential) {
  const isAdmin = mayDo(credential, 'administration', 'write')
  const isWriter = mayDo(credential, 'contents', 'write')
  return { admin: isAdmin, maintain: isAdmin, push: isWriter, triage: isWriter, pull: true }
}

/** What lists and pull requests say about a repository. */
export function showRepository(links: Links, repository: Repository) {
  const name = fullName(repository)
  const url = `${links.api}/repos/${name}`
  const html = `${links.web}/${name}`
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: name,
    private: repository.visibility !== 'public',
    owner: showAccount(links, repository.owner),
    html_url: html,
    description: repository.description,
    fork: false,
    url,
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_url: `git://${links.web.replace(/^https?:\/\//, '')}/${name}.git`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    ssh_url: `git@${links.web.replace(/^https?:\/\//, '')}:${name}.git`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    svn_url: html,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
    clone_url: `${html}.git`,
    mirror_url: null,
    homepage: repository.homepage,
    language: null,
    size: 1,
    default_branch: repository.defaultBranch,
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived: repository.archived,
    disabled: false,
    visibility: repository.visibility,
    topics: repository.topics,
    is_template: false,
    license: null,
    forks: 0,
    forks_count: 0,
    open_issues: 0,
    open_issues_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    created_at: timeOf(repository.createdAt),
    updated_at: timeOf(repository.createdAt),
    pushed_at: timeOf(repository.createdAt),
  }
}

/** All that there is to say about a repository. */
export const showWhole = (call: Call, repository: Repository) => ({
  ...showRepository(call.links, repository),
  permissions: showPermissions(call.credential),
  network_count: 0,
  subscribers_count: 0,
  ...(repository.owner.type === 'Organization' && {
    organization: showAccount(call.links, repository.owner),
  }),
})
