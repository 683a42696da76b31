import { isDeepStrictEqual } from 'node:util'
import {
  parseRegistry,
  type RegistryMeans,
  type RegistryMistake,
} from '../lib/domain/clusters/registry.ts'
import type { Log } from '../lib/logging/log.ts'
import type { EnvironmentName } from '../lib/names.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Cluster } from '../lib/ports/clusters.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { watchFiles } from '../lib/settings/watched-files.ts'

export interface ClusterRegistry {
  readonly clusters: () => readonly Cluster[]
  close(): void
}

export interface ClusterRegistryOptions {
  readonly path: string
  /** The environments of the installation, which clusters may carry. */
  readonly environments: readonly EnvironmentName[]
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'error'>
  readonly pollEveryMs?: number
}

/**
 * The clusters of `CLUSTERS_FILE`. Polls the file and the CA files that it names. A changed file replaces all clusters; one with a
 * mistake is reported and the clusters stay.
 * @returns every mistake, one per line, if the file cannot be used at the start
 */
export function openClusterRegistry({
  path,
  environments,
  clock,
  log,
  ...polling
}: ClusterRegistryOptions): Result<ClusterRegistry, readonly string[]> {
  const watched = watchFiles({
    ...polling,
    read: (readFile) => readRegistry(path, { readFile, environments, nowMs: clock.now() }),
    onChanged(found) {
      clusters = keepingEqual(clusters, found)
      log.info({ clusters: clusters.map(({ id }) => id) }, 'cluster registry changed')
    },
    onBroken: (mistakes) =>
      log.error({ mistakes }, 'cluster registry is broken, the old one stays'),
  })
  if (!watched.ok) return watched
  let clusters = watched.value.value
  return ok({ clusters: () => clusters, close: () => watched.value.close() })
}

/** Health and open streams are keyed by the cluster object, so that an unchanged cluster has to stay the same object. */
const keepingEqual = (before: readonly Cluster[], now: readonly Cluster[]): readonly Cluster[] =>
  now.map((cluster) => before.find((old) => isDeepStrictEqual(old, cluster)) ?? cluster)

function readRegistry(
  path: string,
  means: RegistryMeans,
): Result<readonly Cluster[], readonly string[]> {
  const text = means.readFile(path)
  if (!text.ok) return err([`${path} cannot be read (${text.error})`])
  const parsed = parseRegistry(text.value, means)
  return parsed.ok ? parsed : err(parsed.error.map((mistake) => describe(path, mistake)))
}

const describe = (path: string, { line, column, message }: RegistryMistake): string =>
  line === null ? `${path}: ${message}` : `${path}:${line}:${column ?? 1}: ${message}`
