import { fullName, type Repository, type Rights, type State } from '../state.ts'
import { userJson } from './accounts.ts'

const seconds = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/\.\d+/, '')

export function repositoryJson(state: State, repository: Repository, rights: Rights) {
  const name = fullName(repository)
  const page = `${state.url}/${name}`
  const open = repository.pulls.filter(({ closedAt }) => closedAt === null)
  return {
    id: repository.id,
    owner: userJson(state, repository.owner),
    name: repository.name,
    full_name: name,
    description: repository.description,
    empty: state.isEmpty(repository),
    private: repository.isPrivate,
    fork: false,
    template: false,
    mirror: false,
    size: 25,
    language: '',
    languages_url: `${state.url}/api/v1/repos/${name}/languages`,
    html_url: page,
    url: `${state.url}/api/v1/repos/${name}`,
    link: '',
    ssh_url: `git@gitea.test:${name}.git`,
    clone_url: `${page}.git`,
    original_url: '',
    website: repository.website,
    stars_count: 0,
    forks_count: 0,
    watchers_count: 1,
    ...(state.flavour.laterMembers && { branch_count: 0 }),
    open_issues_count: 0,
    open_pr_counter: open.length,
    release_counter: repository.releases.filter(({ draft }) => !draft).length,
    default_branch: repository.defaultBranch,
    archived: repository.isArchived,
    created_at: seconds(repository.createdAt),
    updated_at: seconds(repository.createdAt),
    archived_at: '1970-01-01T00:00:00Z',
    permissions: {
      admin: rights === 'admin',
      push: rights === 'admin' || rights === 'write',
      pull: true,
    },
    ...UNITS,
    avatar_url: '',
    internal: false,
    mirror_interval: '',
    object_format_name: 'sha1',
    mirror_updated: '0001-01-01T00:00:00Z',
    topics: repository.topics,
    licenses: [],
  }
}

const UNITS = {
  has_code: true,
  has_issues: true,
  internal_tracker: {
    enable_time_tracker: true,
    allow_only_contributors_to_track_time: true,
    enable_issue_dependencies: true,
  },
  has_wiki: true,
  has_pull_requests: true,
  has_projects: true,
  projects_mode: 'all',
  has_releases: true,
  has_packages: true,
  has_actions: true,
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: true,
  allow_rebase_update: true,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  default_delete_branch_after_merge: false,
  default_merge_style: 'merge',
  default_allow_maintainer_edit: true,
}
