import { isObject } from '../../text/json.ts'
import type { Cluster } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import { readYaml } from '../../yaml/read.ts'
import { parseAuthority } from './certificate-authority.ts'
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

/** Something wrong in the registry file. Lines and columns count from 1. */
export interface RegistryMistake {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

/** The text of a file, or why there is none. */
export type ReadFile = (path: string) => Result<string, string>

export type RegistryReading = Result<readonly Cluster[], readonly RegistryMistake[]> & {
  /** The CA files that were asked for, read or not: when one changes, the registry is another. */
  readonly caFiles: readonly string[]
}

/** Reads the registry of clusters, or says everything that is wrong with it. Nothing is served of a file with a mistake. */
export function parseRegistry(text: string, readFile: ReadFile, nowMs: number): RegistryReading {
  const files = new Map<string, Result<string, string>>()
  const clusters = read(text, {
    ofFile(path) {
      const file = files.get(path) ?? readFile(path)
      files.set(path, file)
      return file.ok ? parseAuthority(file.value, nowMs) : err(`cannot be read: ${file.error}`)
    },
    ofData(base64) {
      const pem = decodeBase64(base64)
      return pem === null ? err('must be base64') : parseAuthority(pem, nowMs)
    },
  })
  return { ...clusters, caFiles: [...files.keys()] }
}

function read(
  text: string,
  authorities: Authorities,
): Result<readonly Cluster[], readonly RegistryMistake[]> {
  if (text.length > TEXT_MAX_LENGTH) return notRead({ ...START, message: TOO_LARGE })
  const reading = readYaml(text)
  if (!reading.ok) {
    const { code, position, message } = reading.error
    if (code === 'yaml_too_large') return notRead({ ...NOWHERE, message: TOO_LARGE })
    return notRead({ ...(position ?? NOWHERE), message })
  }
  const [document, ...more] = reading.value.documents
  if (document === undefined || more.length > 0) {
    return notRead({ ...START, message: 'must be one YAML document' })
  }

  const clusters = readRegistry(document.value, authorities)
  if (clusters.ok) return clusters
  const told = clusters.error
    .slice(0, MISTAKES_MAX)
    .map(({ at, message }) => ({ ...document.locate(at), message: `${nameOf(at)}: ${message}` }))
    .toSorted((one, other) => one.line - other.line || one.column - other.column)
  const untold = clusters.error.length - told.length
  const rest = { line: null, column: null, message: `and ${untold} more` }
  return err(untold > 0 ? [...told, rest] : told)
}

const START = { line: 1, column: 1 }
const NOWHERE = { line: null, column: null }
const TOO_LARGE = 'is too large'

const notRead = (mistake: RegistryMistake) => err<readonly RegistryMistake[]>([mistake])

function readRegistry(value: unknown, authorities: Authorities): Reading<readonly Cluster[]> {
  const members = membersOf(value, [], ['apiVersion', 'clusters'])
  if (!members.ok) return members
  const { required, optional, strict } = members.value
  const version = required('apiVersion', textAs(portalV1, `must be ${API_VERSION}`))
  const clusters = required('clusters', listOf(clusterEntry(authorities), CLUSTERS_MAX))
  const ids = optional('clusters', uniqueIds, null)
  return strict.ok && version.ok && ids.ok && clusters.ok
    ? clusters
    : err(faultsOf(strict, version, clusters, ids))
}

const API_VERSION = 'portal/v1'
const portalV1 = (text: string) => (text === API_VERSION ? API_VERSION : undefined)

/** Also of entries that are wrong in another way. */
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

/** `clusters[1].auth.mode`. Keys are shown as far as they look like keys. */
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
