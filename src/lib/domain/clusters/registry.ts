import type { EnvironmentName } from '../../names.ts'
import type { Cluster } from '../../ports/clusters.ts'
import { err, type Result } from '../../result.ts'
import { parseAuthority } from '../../crypto/certificate-authority.ts'
import { type FileMistake, parseEntries, type ReadFile } from '../../yaml/strict-file.ts'
import { clusterEntry } from './registry-entry.ts'

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
): Result<readonly Cluster[], readonly FileMistake[]> {
  const authorities = {
    ofFile(path: string) {
      const file = readFile(path)
      return file.ok ? parseAuthority(file.value, nowMs) : err(`cannot be read: ${file.error}`)
    },
    ofData(base64: string) {
      const pem = decodeBase64(base64)
      return pem === null ? err('must be base64') : parseAuthority(pem, nowMs)
    },
  }
  return parseEntries(text, {
    list: 'clusters',
    key: 'id',
    entry: clusterEntry(authorities, environments),
  })
}

function decodeBase64(text: string): string | null {
  try {
    return atob(text)
  } catch {
    return null
  }
}
