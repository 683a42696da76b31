import type { Account, State, Team } from '../state.ts'

/** The members of an account that Portico or its tests read; so are those of the other answers. */
export const userJson = ({ url }: State, { id, login }: Account) => ({
  id,
  login,
  html_url: `${url}/${login}`,
  username: login,
})

export const teamJson = ({ id, name }: Team) => ({ id, name })
