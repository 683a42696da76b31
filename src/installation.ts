import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { ok, type Result } from './lib/result.ts'
import { readAuthorityFile } from './lib/settings/authority-file.ts'
import { readText } from './lib/settings/watched-files.ts'
import { createDiskAssetCache } from './lib/adapters/asset-cache/disk.ts'
import { createKubernetes } from './lib/adapters/clusters/index.ts'
import { openDatabase } from './lib/adapters/database/index.ts'
import { createKeptFile } from './lib/adapters/kept-bytes/file.ts'
import { createLog, type Log } from './lib/logging/log.ts'
import { systemClock } from './lib/ports/clock.ts'
import type { Database } from './lib/ports/database.ts'
import { type KeptBytes, nothingKept } from './lib/ports/kept-bytes.ts'
import { type ClusterRegistry, openClusterRegistry } from './portal/cluster-registry.ts'
import { openPortalMetrics } from './portal/metrics.ts'
import { createPortal } from './portal/portal.ts'
import { type Service, StartFailure } from './portal/server.ts'
import { CATALOG_READER } from './version.ts'

/** Builds the portal of the adapters that the configuration chooses. */
export async function openInstallation(config: Config): Promise<Service> {
  const { DATA_DIR: dataDirectory } = config
  mkdirSync(dataDirectory, { recursive: true })
  const metrics = await openPortalMetrics(config, systemClock)
  const log = createLog({ level: config.LOG_LEVEL })
  const registry = openRegistry(config, log)
  const closing = new AbortController()
  const [gitHost, secretStore, identity, database] = await Promise.all([
    config
      .openGitHost({
        dataDirectory,
        publicOrigin: config.PUBLIC_URL.origin,
        clock: systemClock,
        log: log.events,
        onRateLimit: metrics.rateLimited,
      })
      .then(started),
    config
      .openSecretStore({
        dataDirectory,
        environments: config.ENVIRONMENTS.stages.map(({ environment }) => environment),
        clock: systemClock,
        log: log.events,
      })
      .then(started),
    config
      .openIdentity({
        publicUrl: config.PUBLIC_URL,
        clock: systemClock,
        log: log.events,
        signal: closing.signal,
      })
      .then(started),
    openPortalDatabase(config, log),
  ])
  const portal = createPortal({
    gitHost: metrics.port('git_host', gitHost),
    secretStore: metrics.port('secret_store', secretStore),
    identity: metrics.port('identity', identity),
    kubernetes: metrics.port(
      'clusters',
      createKubernetes({ requestsAtOnce: config.BUN_CONFIG_MAX_HTTP_REQUESTS }),
    ),
    clusterRegistry: registry.clusters,
    parsedCatalog: openParsedCatalog(config),
    assetCache: createDiskAssetCache({
      directory: join(dataDirectory, 'cli-assets'),
      maxBytes: config.CLI_CACHE_MEGABYTES * 1e6,
    }),
    database: metrics.port('database', database),
    keyring: config.SESSION_KEYS,
    clock: systemClock,
    log: { ...log, access: metrics.access(log.access) },
    publicUrl: config.PUBLIC_URL,
    config,
    onRunEnded: metrics.runEnded,
  })
  metrics.observe(portal)
  portal.start()
  return {
    fetch: portal.app.fetch,
    drain: () => portal.drain(),
    async close() {
      await portal.close()
      closing.abort()
      registry.close()
      await log.close()
    },
  }
}

function started<Port>(
  opened:
    { readonly ok: true; readonly value: Port } | { readonly ok: false; readonly error: string },
): Port {
  if (!opened.ok) throw new StartFailure(opened.error)
  return opened.value
}

/** The URL of the database, by default SQLite in the data directory. */
export const databaseUrl = ({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): string =>
  DATABASE_URL || `sqlite:${join(DATA_DIR, 'portico.sqlite')}`

/** The certificates of DATABASE_CA_FILE. */
export function readDatabaseAuthority({
  DATABASE_CA_FILE: path,
}: Pick<Config, 'DATABASE_CA_FILE'>): Result<string | null, string> {
  return path === null
    ? ok(null)
    : readAuthorityFile('DATABASE_CA_FILE', path, readText, systemClock.now())
}

async function openPortalDatabase(config: Config, { events }: Log): Promise<Database> {
  const authority = readDatabaseAuthority(config)
  if (!authority.ok) throw new StartFailure(authority.error)
  const database = await openDatabase(databaseUrl(config), {
    ca: authority.value,
    listenUrl: config.DATABASE_LISTEN_URL,
    onListenFailed: (reason) =>
      events.warn({ reason }, 'DATABASE_LISTEN_URL is not connected, changes are polled meanwhile'),
  })
  if (!database.ok) throw new StartFailure(`DATABASE_URL: ${database.error.reason}`)
  return database.value
}

/** Parsed files are valid for the same parser and the same lifecycles. Run from source, nothing is kept. */
const openParsedCatalog = ({ DATA_DIR, ENVIRONMENTS }: Config): KeptBytes =>
  CATALOG_READER === null
    ? nothingKept
    : createKeptFile({
        path: join(DATA_DIR, 'catalog.parsed'),
        writer: `${CATALOG_READER} ${JSON.stringify(ENVIRONMENTS.lifecycles)}`,
      })

function openRegistry({ CLUSTERS_FILE: path }: Config, log: Log): ClusterRegistry {
  if (path === '') return { clusters: () => [], close() {} }
  const registry = openClusterRegistry({ path, clock: systemClock, log: log.events })
  if (!registry.ok) throw new StartFailure(registry.error.join('\n'))
  return registry.value
}
