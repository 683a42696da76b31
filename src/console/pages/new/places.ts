/** A namespace of a cluster. The names of environments are a setting of the installation. */
export interface ClusterNamespace {
  readonly name: string
  readonly environment: string | null
  readonly team: string | null
}

/** Namespaces of a team, those of earlier environments first. The first one is suggested. */
export function namespacesOf(
  team: string,
  namespaces: readonly ClusterNamespace[],
  environments: readonly string[],
): readonly string[] {
  const rank = ({ environment }: ClusterNamespace): number => {
    const at = environment === null ? -1 : environments.indexOf(environment)
    return at < 0 ? environments.length : at
  }
  const own = namespaces
    .filter((each) => each.team !== null && each.team === team)
    .toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
  return [...new Set(own.map(({ name }) => name))]
}
