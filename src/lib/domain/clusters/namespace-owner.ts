import type { EnvironmentName, Label, TeamName } from '../../names.ts'
import type { Cluster, NamespacePattern } from '../../ports/clusters.ts'
import { teamIn } from './namespace-pattern.ts'

export interface NamespaceOwner {
  readonly environment: EnvironmentName
  /** `null` for a namespace that teams share. */
  readonly team: TeamName | null
}

/**
 * The team and the environment of a namespace, by the registry. `{team}` alone fits every namespace, so that only names of teams
 * count. Of several patterns the one that says most about the name wins, then the first.
 */
export function namespaceOwner(
  { environments }: Pick<Cluster, 'environments'>,
  namespace: Label,
  isTeam: (team: TeamName) => boolean,
): NamespaceOwner | null {
  const [owner] = environments
    .toSorted((one, other) => givenLength(other.namespace) - givenLength(one.namespace))
    .flatMap(({ name: environment, namespace: pattern }): readonly NamespaceOwner[] => {
      const team = teamIn(pattern, namespace)
      return team === undefined || (team !== null && !isTeam(team)) ? [] : [{ environment, team }]
    })
  return owner ?? null
}

/**
 * The team that a namespace belongs to on any of the clusters, else by its name: `payments-eu-prod` belongs to `payments-eu` and not to
 * `payments`, when both are teams. `null`: to nobody alone.
 */
export function teamOfNamespace(
  clusters: readonly Pick<Cluster, 'environments'>[],
  namespace: Label,
  teams: ReadonlySet<TeamName>,
): TeamName | null {
  const environments = clusters.flatMap((cluster) => cluster.environments)
  const owner = namespaceOwner({ environments }, namespace, (team) => teams.has(team))
  if (owner !== null) return owner.team
  const [team = null] = [...teams]
    .filter((name) => namespace === String(name) || namespace.startsWith(`${name}-`))
    .toSorted((one, other) => other.length - one.length)
  return team
}

/** Number of characters that the pattern itself gives to a name. */
const givenLength = (pattern: NamespacePattern): number =>
  pattern.kind === 'shared'
    ? pattern.namespace.length
    : pattern.prefix.length + pattern.suffix.length
