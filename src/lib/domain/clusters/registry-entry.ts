import { type EnvironmentName, Label, Subdomain } from '../../names.ts'
import type { Cluster, ClusterAuth, ClusterTrust } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import { apiServer } from './api-server.ts'
import { clusterEnvironments } from './registry-environments.ts'
import {
  fault,
  faultsOf,
  line,
  listOf,
  type Members,
  membersOf,
  type Path,
  type Reader,
  type Reading,
  textAs,
  textByName,
} from '../../yaml/strict-reader.ts'

const GROUPS_MAX = 100
const LABELS_MAX = 100

/** Reads the PEM certificates of an authority from a file or from base64. */
export interface Authorities {
  readonly ofFile: (path: string) => Result<string, string>
  readonly ofData: (base64: string) => Result<string, string>
}

const KEYS = [
  'id',
  'name',
  'apiServer',
  'caFile',
  'caData',
  'systemRoots',
  'tlsServerName',
  'groups',
  'auth',
  'labels',
  'environments',
]

/** One cluster of the registry. `known` are the environments of the installation. */
export const clusterEntry =
  (authorities: Authorities, known: readonly EnvironmentName[]): Reader<Cluster> =>
  (value, at) => {
    const members = membersOf(value, at, KEYS)
    if (!members.ok) return members
    const { required, optional, strict } = members.value

    const id = required(
      'id',
      textAs((text) => Label.parse(text), 'must be a DNS-1123 label'),
    )
    const name = required('name', line)
    const server = required('apiServer', apiServer)
    const trust = trustOf(members.value, at, authorities)
    const tlsServerName = optional('tlsServerName', hostName, null)
    const groups = required('groups', listOf(line, GROUPS_MAX))
    const auth = optional('auth', clusterAuth, { mode: 'passthrough' } as const)
    const labels = optional('labels', textByName(LABELS_MAX), {})
    const environments = optional('environments', clusterEnvironments(known), [])

    const isRead = id.ok && name.ok && server.ok && trust.ok && tlsServerName.ok && groups.ok
    if (!isRead || !auth.ok || !labels.ok || !environments.ok || !strict.ok) {
      const named = [id, name, server, trust, tlsServerName, groups, auth, labels, environments]
      return err(faultsOf(strict, ...named))
    }
    return ok({
      id: id.value,
      name: name.value,
      apiServer: server.value,
      trust: trust.value,
      tlsServerName: tlsServerName.value,
      groups: groups.value,
      auth: auth.value,
      labels: labels.value,
      environments: environments.value,
    })
  }

/** There is no default trust: the system's roots must be requested. */
function trustOf(
  { has, required }: Members,
  at: Path,
  authorities: Authorities,
): Reading<ClusterTrust> {
  const ways = {
    caFile: authority(line, authorities.ofFile),
    caData: authority(text, authorities.ofData),
    systemRoots,
  } satisfies Record<string, Reader<ClusterTrust>>
  const [first, ...more] = Object.entries(ways)
    .filter(([key]) => has(key))
    .map(([key, read]) => ({ key, reading: required<ClusterTrust>(key, read) }))
  if (first === undefined) return fault(at, 'caFile, caData or systemRoots: true is missing')
  const [second] = more
  if (second === undefined) return first.reading
  return err([
    { at: [...at, second.key], message: 'only one of caFile, caData and systemRoots may be there' },
    ...faultsOf(first.reading, ...more.map(({ reading }) => reading)),
  ])
}

const authority =
  (
    written: Reader<string>,
    parse: (text: string) => Result<string, string>,
  ): Reader<ClusterTrust> =>
  (value, at) => {
    const source = written(value, at)
    if (!source.ok) return source
    const pem = parse(source.value)
    return pem.ok ? ok({ kind: 'authority', pem: pem.value }) : fault(at, pem.error)
  }

const text: Reader<string> = (value, at) =>
  typeof value === 'string' ? ok(value) : fault(at, 'must be text')

const systemRoots: Reader<ClusterTrust> = (value, at) =>
  value === true ? ok({ kind: 'system_roots' }) : fault(at, 'must be true, or not be there')

/** A name, not an IP address: certificates match addresses in another way. */
const hostName = textAs(
  (text) => (/(?:^|\.)\d+$/.test(text) ? undefined : Subdomain.parse(text)),
  'must be a host name',
)

const clusterAuth: Reader<ClusterAuth> = (value, at) => {
  const members = membersOf(value, at, ['mode', 'audience'])
  if (!members.ok) return members
  const { has, required, strict } = members.value
  const mode = required('mode', clusterMode)
  if (!mode.ok) return err(faultsOf(strict, mode))
  if (mode.value === 'exchange') {
    const audience = required('audience', line)
    return audience.ok && strict.ok
      ? ok({ mode: 'exchange', audience: audience.value })
      : err(faultsOf(strict, audience))
  }
  const idle = has('audience')
    ? fault([...at, 'audience'], 'there is an audience in mode exchange only')
    : ok(null)
  return idle.ok && strict.ok ? ok({ mode: 'passthrough' }) : err(faultsOf(strict, idle))
}

const clusterMode = textAs(
  (text) => (text === 'passthrough' || text === 'exchange' ? text : undefined),
  'must be passthrough or exchange',
)
