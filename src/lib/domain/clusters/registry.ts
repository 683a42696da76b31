import { isObject } from '../../text/json.ts'
import type { EnvironmentName } from '../../names.ts'
import type { Cluster } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import { readYaml } from '../../yaml/read.ts'
import { parseAuthority } from '../../crypto/certificate-authority.ts'
import { type Authorities, clusterEntry } from './registry-entry.ts'
import {
  type Fault,
  faultsOf,
  listOf,
  membersOf,
  type Path,
  type Reader,
  type Reading,
  textAs,
} from './strict-reader.ts'

const TEXT_MAX_LENGTH = 1024 * 1024
const CLUSTERS_MAX = 500
const MISTAKES_MAX = 100

/** A mistake in the registry file. Lines and columns count from 1. */
export interface RegistryMistake {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

/** Returns the text of a file, or why it cannot be read. */
export type ReadFile = (path: string) => Result<string, string>

export interface RegistryMeans {
  readonly readFile: ReadFile
  readonly nowMs: number
  /** The environments of the installation. */
  readonly environments: readonly EnvironmentName[]
}

/** Reads the registry of clusters, or reports everything that is wrong with it. A file with a mistake is not used at all. */
export function parseRegistry(
  text: string,
  { readFile, nowMs, environments }: RegistryMeans,
): Result<readonly Cluster[], readonly RegistryMistake[]> {
  if (text.length > TEXT_MAX_LENGTH) return mistake({ ...START, message: TOO_LARGE })
  const yaml = readYaml(text)
  if (!yaml.ok) {
    const { code, position, message } = yaml.error
    if (code === 'yaml_too_large') return mistake({ ...NOWHERE, message: TOO_LARGE })
    return mistake({ ...(position ?? NOWHERE), message })
  }
  const [document, ...more] = yaml.value.documents
  if (document === undefined || more.length > 0) {
    return mistake({ ...START, message: 'must be one YAML document' })
  }

  const authorities: Authorities = {
    ofFile(path) {
      const file = readFile(path)
      return file.ok ? parseAuthority(file.value, nowMs) : err(`cannot be read: ${file.error}`)
    },
    ofData(base64) {
      const pem = decodeBase64(base64)
      return pem === null ? err('must be base64') : parseAuthority(pem, nowMs)
    },
  }
  const clusters = readRegistry(document.value, clusterEntry(authorities, environments))
  if (clusters.ok) return clusters
  const shown: readonly RegistryMistake[] = clusters.error
    .slice(0, MISTAKES_MAX)
    .map(({ at, message }) => ({ ...document.locate(at), message: `${nameOf(at)}: ${message}` }))
    .toSorted((one, other) => one.line - other.line || one.column - other.column)
  const omitted = clusters.error.length - shown.length
  return err(omitted > 0 ? [...shown, { ...NOWHERE, message: `and ${omitted} more` }] : shown)
}

const START = { line: 1, column: 1 }
const NOWHERE = { line: null, column: null }
const TOO_LARGE = 'is too large'

const mistake = (only: RegistryMistake) => err<readonly RegistryMistake[]>([only])

function readRegistry(value: unknown, cluster: Reader<Cluster>): Reading<readonly Cluster[]> {
  const members = membersOf(value, [], ['apiVersion', 'clusters'])
  if (!members.ok) return members
  const { required, optional, strict } = members.value
  const version = required('apiVersion', textAs(portalV1, `must be ${API_VERSION}`))
  const clusters = required('clusters', listOf(cluster, CLUSTERS_MAX))
  const ids = optional('clusters', uniqueIds, null)
  return strict.ok && version.ok && ids.ok && clusters.ok
    ? clusters
    : err(faultsOf(strict, version, clusters, ids))
}

const API_VERSION = 'portal/v1'
const portalV1 = (text: string) => (text === API_VERSION ? API_VERSION : undefined)

/** Also checks entries that are wrong in another way. */
const uniqueIds: Reader<null> = (value, at) => {
  const entries: readonly unknown[] = Array.isArray(value) ? value.slice(0, CLUSTERS_MAX) : []
  const seen = new Set<string>()
  const faults: Fault[] = []
  for (const [index, entry] of entries.entries()) {
    const id = isObject(entry) ? entry['id'] : undefined
    if (typeof id !== 'string') continue
    if (seen.has(id)) {
      faults.push({ at: [...at, index, 'id'], message: 'is the id of a cluster further up' })
    }
    seen.add(id)
  }
  return faults.length > 0 ? err(faults) : ok(null)
}

/** `clusters[1].auth.mode`. Keys that are not plain words are not repeated. */
const nameOf = (at: Path): string =>
  at
    .map((step) =>
      typeof step === 'number' ? `[${step}]` : `.${PLAIN_KEY.test(step) ? step : '…'}`,
    )
    .join('')
    .replace(/^\./, '') || 'the registry'

const PLAIN_KEY = /^[\w./-]{1,80}$/

function decodeBase64(text: string): string | null {
  try {
    return atob(text)
  } catch {
    return null
  }
}
