import { parseRegistry } from '../lib/domain/clusters/registry.ts'
import type { EnvironmentName } from '../lib/names.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Cluster } from '../lib/ports/clusters.ts'
import { ok, type Result } from '../lib/result.ts'
import { type EntryFileOptions, openEntryFile } from './entry-file.ts'

export interface ClusterRegistry {
  readonly clusters: () => readonly Cluster[]
  close(): void
}

export interface ClusterRegistryOptions extends Pick<
  EntryFileOptions<Cluster>,
  'path' | 'log' | 'pollEveryMs'
> {
  /** The environments of the installation, which clusters may carry. */
  readonly environments: readonly EnvironmentName[]
  readonly clock: Clock
}

/** The clusters of `CLUSTERS_FILE`. Health and open streams are keyed by the cluster object. */
export function openClusterRegistry({
  environments,
  clock,
  ...file
}: ClusterRegistryOptions): Result<ClusterRegistry, readonly string[]> {
  const opened = openEntryFile({
    ...file,
    name: 'cluster registry',
    parse: (text, readFile) => parseRegistry(text, { readFile, environments, nowMs: clock.now() }),
    facts: (clusters) => ({ clusters: clusters.map(({ id }) => id) }),
  })
  if (!opened.ok) return opened
  const { value } = opened
  return ok({ clusters: value.entries, close: () => value.close() })
}
