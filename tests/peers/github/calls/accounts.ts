import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Links } from '../links.ts'
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

export const showAccount = (links: Links, { id, login, type }: Account) => ({
  login,
  id,
  html_url: `${links.web}/${encodeURIComponent(login)}`,
  type,
})

export const getUser = (call: Call): Answer => ({
  status: 200,
  body: showAccount(call.links, accountOf(call.state, call.parameters['username'] ?? '')),
})

export const getAuthenticatedUser = (call: Call): Answer => ({
  status: 200,
  body: showAccount(call.links, call.credential.account),
})
