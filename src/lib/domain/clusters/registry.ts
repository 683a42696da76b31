import { parseAuthority } from '../../crypto/certificate-authority.ts'
import { type EnvironmentName, Label, Subdomain } from '../../names.ts'
import type {
  Cluster,
  ClusterAuth,
  ClusterEnvironment,
  ClusterTrust,
} from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import { type FileMistake, parseEntries, type ReadFile } from '../../yaml/strict-file.ts'
import {
  distinct,
  fault,
  line,
  listOf,
  mappingOf,
  oneOf,
  optional,
  type Reader,
  type Reading,
  required,
  textAs,
  textByName,
} from '../../yaml/strict-reader.ts'
import { apiServer } from './api-server.ts'
import { parseNamespacePattern } from './namespace-pattern.ts'

const GROUPS_MAX = 100
const LABELS_MAX = 100
/** Limit of `ENVIRONMENTS`, of which each may be there once. */
const ENVIRONMENTS_MAX = 10

export interface RegistryMeans {
  readonly readFile: ReadFile
  readonly nowMs: number
  /** The environments of the installation. */
  readonly environments: readonly EnvironmentName[]
}

/** Reads the registry of clusters, or reports everything that is wrong with it. A file with a mistake is not used at all. */
export const parseRegistry = (
  text: string,
  means: RegistryMeans,
): Result<readonly Cluster[], readonly FileMistake[]> =>
  parseEntries(text, { list: 'clusters', key: 'id', entry: clusterEntry(means) })

const clusterEntry = ({ readFile, nowMs, environments }: RegistryMeans): Reader<Cluster> =>
  mappingOf({
    id: required('id', label),
    name: required('name', line),
    apiServer: required('apiServer', apiServer),
    // There is no default trust: the system's roots must be requested.
    trust: oneOf<ClusterTrust>(
      {
        caFile: authority(line, nowMs, (path) => {
          const file = readFile(path)
          return file.ok ? file : err(`cannot be read: ${file.error}`)
        }),
        caData: authority(text, nowMs, decodeBase64),
        systemRoots,
      },
      'caFile, caData or systemRoots: true is missing',
    ),
    tlsServerName: optional('tlsServerName', hostName, null),
    groups: required('groups', listOf(line, GROUPS_MAX)),
    auth: optional<ClusterAuth, ClusterAuth>('auth', clusterAuth, { mode: 'passthrough' }),
    labels: optional('labels', textByName(LABELS_MAX), {}),
    environments: optional(
      'environments',
      distinct(
        'name',
        listOf(environmentRow(environments), ENVIRONMENTS_MAX),
        'is an environment further up',
      ),
      [],
    ),
  })

const label = textAs((text) => Label.parse(text), 'must be a DNS-1123 label')

/** PEM certificates, of which the place is written. */
const authority =
  (
    written: Reader<string>,
    nowMs: number,
    read: (written: string) => Result<string, string>,
  ): Reader<ClusterTrust> =>
  (value, at) => {
    const source = written(value, at)
    if (!source.ok) return source
    const found = read(source.value)
    const pem = found.ok ? parseAuthority(found.value, nowMs) : found
    return pem.ok ? ok({ kind: 'authority', pem: pem.value }) : fault(at, pem.error)
  }

const text: Reader<string> = (value, at) =>
  typeof value === 'string' ? ok(value) : fault(at, 'must be text')

function decodeBase64(text: string): Result<string, string> {
  try {
    return ok(atob(text))
  } catch {
    return err('must be base64')
  }
}

const systemRoots: Reader<ClusterTrust> = (value, at) =>
  value === true ? ok({ kind: 'system_roots' }) : fault(at, 'must be true, or not be there')

/** A name, not an IP address: certificates match addresses in another way. */
const hostName = textAs(
  (text) => (/(?:^|\.)\d+$/.test(text) ? undefined : Subdomain.parse(text)),
  'must be a host name',
)

const clusterAuth: Reader<ClusterAuth> = (value, at) => {
  const auth = authMembers(value, at)
  if (!auth.ok) return auth
  const { audience } = auth.value
  return ok(audience === null ? { mode: 'passthrough' } : { mode: 'exchange', audience })
}

const PASSTHROUGH = 'passthrough'
const EXCHANGE = 'exchange'
const authMembers = mappingOf({
  mode: required(
    'mode',
    textAs(
      (text) => (text === PASSTHROUGH || text === EXCHANGE ? text : undefined),
      'must be passthrough or exchange',
    ),
  ),
  audience: {
    keys: ['audience'],
    read({ mode, ...others }, at): Reading<string | null> {
      if (mode === EXCHANGE) return required('audience', line).read(others, at)
      // A mode that is missing or misspelt may be meant as one that takes an audience.
      return mode === PASSTHROUGH
        ? optional('audience', idleAudience, null).read(others, at)
        : ok(null)
    },
  },
})

const idleAudience: Reader<null> = (_, at) =>
  fault(at, 'there is an audience in mode exchange only')

const environmentRow = (known: readonly EnvironmentName[]): Reader<ClusterEnvironment> =>
  mappingOf({
    name: required(
      'name',
      textAs(
        (text) => known.find((environment) => environment === text),
        `must be one of ENVIRONMENTS: ${known.join(', ')}`,
      ),
    ),
    namespace: required(
      'namespace',
      textAs(
        parseNamespacePattern,
        'must be the name of a namespace, with {team} once for the name of the team, such as {team}-dev',
      ),
    ),
  })
