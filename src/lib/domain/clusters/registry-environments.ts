import type { EnvironmentName } from '../../names.ts'
import type { ClusterEnvironment } from '../../ports/clusters.ts'
import { err, ok } from '../../result.ts'
import { parseNamespacePattern } from './namespace-pattern.ts'
import {
  type Fault,
  faultsOf,
  listOf,
  membersOf,
  type Reader,
  textAs,
} from '../../yaml/strict-reader.ts'

/** Limit of `ENVIRONMENTS`, of which each may be there once. */
const ENVIRONMENTS_MAX = 10

/** The environments that a cluster carries. */
export const clusterEnvironments =
  (known: readonly EnvironmentName[]): Reader<readonly ClusterEnvironment[]> =>
  (value, at) => {
    const rows = listOf(environmentRow(known), ENVIRONMENTS_MAX)(value, at)
    if (!rows.ok) return rows
    const names = rows.value.map(({ name }) => name)
    const repeated = names.flatMap((name, index): readonly Fault[] =>
      names.indexOf(name) === index
        ? []
        : [{ at: [...at, index, 'name'], message: 'is an environment further up' }],
    )
    return repeated.length > 0 ? err(repeated) : rows
  }

const environmentRow =
  (known: readonly EnvironmentName[]): Reader<ClusterEnvironment> =>
  (value, at) => {
    const members = membersOf(value, at, ['name', 'namespace'])
    if (!members.ok) return members
    const { required, strict } = members.value
    const name = required(
      'name',
      textAs(
        (text) => known.find((environment) => environment === text),
        `must be one of ENVIRONMENTS: ${known.join(', ')}`,
      ),
    )
    const namespace = required(
      'namespace',
      textAs(
        parseNamespacePattern,
        'must be the name of a namespace, with {team} once for the name of the team, such as {team}-dev',
      ),
    )
    return name.ok && namespace.ok && strict.ok
      ? ok({ name: name.value, namespace: namespace.value })
      : err(faultsOf(strict, name, namespace))
  }
