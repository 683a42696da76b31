import { notFound, ok } from '../answer.ts'
import { type Call, parameter } from '../call.ts'
import { userJson } from '../json/accounts.ts'
import type { Account } from '../state.ts'

export function organizationOf(call: Call): Account {
  const login = parameter(call, 'org')
  const account = call.state.account(login)
  if (account?.kind === 'organization') return account
  throw notFound('GetOrgByName', [`user redirect does not exist [name: ${login}]`])
}

export const accounts = {
  userGetCurrent: ({ state, token }: Call) => ok(userJson(state, token.account)),

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

  /** The fake knows labels of repositories only. */
  orgListLabels(call: Call) {
    organizationOf(call)
    return ok([])
  },
}
