import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound } from '../answer.ts'
import type { Call } from '../call.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
import type { Account, State } from '../state.ts'

export function accountOf(state: State, login: string): Account {
  const found = state.accounts.get(login.toLowerCase())
  if (found === undefined) throw notFound()
  return found
}

export function addAccount(state: State, login: string, type: Account['type']): Account {
  const known = state.accounts.get(login.toLowerCase())
  if (known !== undefined) return known
  const account: Account = { id: state.nextId(), login, type }
  state.accounts.set(login.toLowerCase(), account)
  return account
}

export function showAccount(links: Links, { id, login, type }: Account) {
  const url = `${links.api}/users/${encodeURIComponent(login)}`
  return {
    login,
    id,
    node_id: nodeId('U', id),
    avatar_url: `${links.web}/avatars/u/${id}`,
    gravatar_id: '',
    url,
    html_url: `${links.web}/${encodeURIComponent(login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
    user_view_type: 'public',
  }
}

function showProfile(call: Call, account: Account) {
  return {
    ...showAccount(call.links, account),
    name: account.login,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: timeOf(0),
    updated_at: timeOf(0),
  }
}

export const getUser = (call: Call): Answer => ({
  status: 200,
  body: showProfile(call, accountOf(call.state, call.parameters['username'] ?? '')),
})

export const getAuthenticatedUser = (call: Call): Answer => ({
  status: 200,
  body: showProfile(call, call.credential.account),
})
