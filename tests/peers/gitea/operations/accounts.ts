import { notFound, ok, Refusal } from '../answer.ts'
import { type Call, parameter } from '../call.ts'
import { organizationJson, teamJson, userJson } from '../json/accounts.ts'
import type { Account } from '../state.ts'

export function organizationOf(call: Call): Account {
  const login = parameter(call, 'org')
  const account = call.state.account(login)
  if (account?.kind === 'organization') return account
  throw notFound('GetOrgByName', [`user redirect does not exist [name: ${login}]`])
}

export const accounts = {
  getVersion: ({ state }: Call) => ok({ version: state.flavour.version }),
  userGetCurrent: ({ state, token }: Call) => ok(userJson(state, token.account)),

  userGet(call: Call) {
    const login = parameter(call, 'username')
    const account = call.state.account(login)
    if (account === undefined) {
      throw new Refusal(404, `user redirect does not exist [name: ${login}]`)
    }
    return ok(userJson(call.state, account))
  },

  orgGet: (call: Call) => ok(organizationJson(call.state, organizationOf(call))),

  orgGetUserPermissions(call: Call) {
    organizationOf(call)
    const may = call.token.rights
    return ok({
      is_owner: may === 'admin',
      is_admin: may === 'admin',
      can_write: may === 'admin' || may === 'write',
      can_read: may !== 'none',
      can_create_repository: may === 'admin',
    })
  },

  orgListTeams(call: Call) {
    const organization = organizationOf(call)
    if (call.token.rights === 'none') throw new Refusal(403, 'Must be an organization member')
    const teams = call.state.teams.filter((team) => team.organization === organization)
    return ok(teams.map(teamJson))
  },

  teamSearch(call: Call) {
    const organization = organizationOf(call)
    const text = (call.query.get('q') ?? '').toLowerCase()
    const found = call.state.teams.filter(
      (team) => team.organization === organization && team.name.toLowerCase().includes(text),
    )
    return ok({ ok: true, data: found.map(teamJson) })
  },

  /** The fake knows labels of repositories only. */
  orgListLabels(call: Call) {
    organizationOf(call)
    return ok([])
  },
}
