import { type EnvironmentName, Label, TeamName } from '../../names.ts'
import type { Cluster, NamespacePattern } from '../../ports/clusters.ts'

const TEAM = '{team}'
/** Stands for a team; no name of a team is shorter. */
const SOME_TEAM = 'xx'

/** `{team}-dev`, or the name of a namespace that all teams share. */
export function parseNamespacePattern(text: string): NamespacePattern | undefined {
  const [prefix = '', suffix, ...rest] = text.split(TEAM)
  if (suffix === undefined) {
    const namespace = Label.parse(text)
    return namespace && { kind: 'shared', namespace }
  }
  const isName = Label.parse(`${prefix}${SOME_TEAM}${suffix}`) !== undefined
  return isName && rest.length === 0 ? { kind: 'of_team', prefix, suffix } : undefined
}

/** `undefined` if the name would be too long for a namespace, so that there is none. */
export const namespaceFor = (pattern: NamespacePattern, team: string): Label | undefined =>
  pattern.kind === 'shared'
    ? pattern.namespace
    : Label.parse(`${pattern.prefix}${team}${pattern.suffix}`)

export interface Place {
  readonly cluster: Cluster
  readonly namespace: Label
}

/** The clusters that carry an environment of a team, each with the namespace: that of the pattern, unless another one is given. */
export const placesOf = (
  clusters: readonly Cluster[],
  {
    environment,
    team,
    namespace: given = null,
  }: {
    readonly environment: EnvironmentName
    readonly team: TeamName
    readonly namespace?: Label | null
  },
): readonly Place[] =>
  clusters.flatMap((cluster) => {
    const row = cluster.environments.find(({ name }) => name === environment)
    const namespace = row && (given ?? namespaceFor(row.namespace, team))
    return namespace === undefined ? [] : [{ cluster, namespace }]
  })

/** The team whose namespace this is; `null` for a namespace that teams share, `undefined` for one of another pattern. */
export function teamIn(pattern: NamespacePattern, namespace: Label): TeamName | null | undefined {
  if (pattern.kind === 'shared') return pattern.namespace === namespace ? null : undefined
  const { prefix, suffix } = pattern
  if (!namespace.startsWith(prefix) || !namespace.endsWith(suffix)) return undefined
  return TeamName.parse(namespace.slice(prefix.length, namespace.length - suffix.length))
}

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
