import { parseRegistry } from '../lib/domain/clusters/registry.ts'
import type { EnvironmentName } from '../lib/names.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Cluster } from '../lib/ports/clusters.ts'
import type { Result } from '../lib/result.ts'
import { type EntryFileOptions, type OpenEntries, openEntryFile } from './entry-file.ts'

interface ClusterRegistryOptions extends Omit<
  EntryFileOptions<Cluster>,
  'name' | 'parse' | 'facts'
> {
  /** The environments of the installation, which clusters may carry. */
  readonly environments: readonly EnvironmentName[]
  readonly clock: Clock
}

/** The clusters of `CLUSTERS_FILE`. Health and open streams are keyed by the cluster object. */
export const openClusterRegistry = ({
  environments,
  clock,
  ...file
}: ClusterRegistryOptions): Result<OpenEntries<Cluster>, readonly string[]> =>
  openEntryFile({
    ...file,
    name: 'cluster registry',
    parse: (text, readFile) => parseRegistry(text, { readFile, environments, nowMs: clock.now() }),
    facts: (clusters) => ({ clusters: clusters.map(({ id }) => id) }),
  })
