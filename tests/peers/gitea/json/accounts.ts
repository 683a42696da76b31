import type { Account, State, Team } from '../state.ts'

const NEVER = '0001-01-01T00:00:00Z'

export const userJson = ({ url }: State, { id, login }: Account) => ({
  id,
  login,
  login_name: '',
  source_id: 0,
  full_name: '',
  email: `${login}@noreply.gitea.test`,
  avatar_url: `${url}/avatars/${id}`,
  html_url: `${url}/${login}`,
  language: '',
  is_admin: false,
  last_login: NEVER,
  created: '2026-01-01T00:00:00Z',
  restricted: false,
  active: true,
  prohibit_login: false,
  location: '',
  website: '',
  description: '',
  visibility: 'public',
  followers_count: 0,
  following_count: 0,
  starred_repos_count: 0,
  username: login,
})

export const teamJson = ({ id, name }: Team) => ({
  id,
  name,
  description: '',
  organization: null,
  includes_all_repositories: false,
  permission: 'none',
  units: ['repo.code', 'repo.pulls'],
  units_map: { 'repo.code': 'write', 'repo.pulls': 'write' },
  can_create_org_repo: false,
})
