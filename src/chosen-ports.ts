import type { Config } from './config.ts'
import { databaseUrl, readDatabaseAuthority } from './database-settings.ts'
import { checkDatabaseUrls } from './lib/adapters/database/check/index.ts'
import type { GitHostMeans } from './lib/adapters/git-host/index.ts'
import type { Log } from './lib/logging/log.ts'
import type { EnvironmentName } from './lib/names.ts'
import { systemClock } from './lib/ports/clock.ts'
import type { ConnectionFinding } from './lib/ports/connection-finding.ts'
import type { GitHost } from './lib/ports/git-host.ts'
import type { IdentityProvider } from './lib/ports/identity.ts'
import type { SecretStore } from './lib/ports/secret-store.ts'
import { err, ok, type Result } from './lib/result.ts'
import { type ClusterRegistry, openClusterRegistry } from './portal/cluster-registry.ts'

/** The ports that the settings choose. Nobody was asked over the network yet. */
export interface ChosenPorts {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
  readonly identity: IdentityProvider
  readonly registry: ClusterRegistry
  /** Certificates in PEM. */
  readonly databaseAuthority: string | null
  /** The TLS of each connection to the database. */
  readonly databaseUrls: readonly ConnectionFinding[]
}

export interface ChoiceMeans {
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
  readonly onRateLimit: GitHostMeans['onRateLimit']
  /** Aborted when the ports are not needed any more. */
  readonly signal: AbortSignal
}

/**
 * Opens what the settings choose, and reads the files that they name.
 * @returns every mistake, as sentences for the operator without a full stop
 */
export async function openChosenPorts(
  config: Config,
  { log, onRateLimit, signal }: ChoiceMeans,
): Promise<Result<ChosenPorts, readonly string[]>> {
  const { DATA_DIR: dataDirectory, PUBLIC_URL: publicUrl } = config
  const means = { dataDirectory, clock: systemClock, log }
  const environments = config.ENVIRONMENTS.stages.map(({ environment }) => environment)
  const [gitHost, secretStore, identity] = await Promise.all([
    config.openGitHost({ ...means, publicOrigin: publicUrl.origin, onRateLimit }),
    config.openSecretStore({ ...means, environments }),
    config.openIdentity({ publicUrl, clock: systemClock, log, signal }),
  ])
  const registry = openRegistry(config.CLUSTERS_FILE, environments, log)
  const authority = readDatabaseAuthority(config)
  const urls = checkDatabaseUrls({
    url: databaseUrl(config),
    listenUrl: config.DATABASE_LISTEN_URL,
    authority: authority.ok ? authority.value : null,
  })
  if (!gitHost.ok || !secretStore.ok || !identity.ok || !registry.ok || !authority.ok || !urls.ok) {
    return err([
      ...[gitHost, secretStore, identity, authority, urls].flatMap((opened) =>
        opened.ok ? [] : opened.error.split('\n'),
      ),
      ...(registry.ok ? [] : registry.error),
    ])
  }
  return ok({
    gitHost: gitHost.value,
    secretStore: secretStore.value,
    identity: identity.value,
    registry: registry.value,
    databaseAuthority: authority.value,
    databaseUrls: urls.value,
  })
}

function openRegistry(
  path: string,
  environments: readonly EnvironmentName[],
  log: ChoiceMeans['log'],
): Result<ClusterRegistry, readonly string[]> {
  if (path === '') return ok({ clusters: () => [], close() {} })
  const registry = openClusterRegistry({ path, environments, clock: systemClock, log })
  return registry.ok ? registry : err(registry.error.map((mistake) => `CLUSTERS_FILE: ${mistake}`))
}
