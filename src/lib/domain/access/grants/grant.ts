import { type Static, Type } from 'typebox'
import type { Principal } from '../../../ports/identity.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { managersOf } from '../principal.ts'
import { allScopes, type Scope } from './scope.ts'

export const GrantKindSchema = Type.Union([
  Type.Literal('cli'),
  Type.Literal('agent'),
  Type.Literal('workload'),
])

/** A permission that a person gave a program, or a rule gave a job. Sealed with the tokens of the identity provider, so that a database cannot widen it. */
export type Grant = Static<typeof GrantSchema>
export const GrantSchema = Type.Object({
  kind: GrantKindSchema,
  /** The name of its rule for a workload. */
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.Unsafe<Scope>(Type.Enum([...allScopes]))),
  /** Teams that it may act for; `null`: all of the person's. */
  teams: Nullable(Type.Array(Type.String())),
  /** Environments that a workload may change; absent: all. */
  environments: Type.Optional(Type.Array(Type.String())),
  /** SHA-256 of the rule of a workload, which ends with it. */
  rule: Type.Optional(Type.String()),
  /** The one service whose requests its tokens open (RFC 8707). */
  resource: Type.String(),
  /** Bound to the authorization code (RFC 6749 §4.1.3, RFC 7636); empty for a workload, which has none. */
  redirectUri: Type.String(),
  codeChallenge: Type.String(),
  /** The session that it ends with, where the identity provider gave it no refresh token. */
  session: Type.Optional(Type.String()),
})

/**
 * The person as a grant lets them act: of the groups those of its teams. The platform group is of no team, so that a grant for teams
 * never has it.
 */
export function principalBy(principal: Principal, grant: Grant, id: string): Principal {
  const { teams, kind, clientId: client, environments } = grant
  const allowed = {
    ...principal,
    via: { kind, id, client },
    ...(environments !== undefined && { onlyEnvironments: environments }),
  }
  if (teams === null) return allowed
  const { groups } = principal
  if (groups.kind === 'unknown') return { ...allowed, onlyTeams: teams }
  const names = groups.names.filter((name) =>
    teams.some((team) => name === team || name === managersOf(team)),
  )
  return { ...allowed, groups: { kind: 'known', names }, onlyTeams: teams }
}
