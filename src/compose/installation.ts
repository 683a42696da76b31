import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openChosenPorts } from './chosen-ports.ts'
import type { Config } from '../config/config.ts'
import { databaseUrl } from '../config/database.ts'
import { EXIT_CONFIG } from '../cli/exit-status.ts'
import { createDiskAssetCache } from '../lib/adapters/asset-cache/disk.ts'
import { createKubernetes } from '../lib/adapters/clusters/index.ts'
import { databaseRefusal } from '../lib/adapters/database/check/index.ts'
import { openWorkloadTokens } from '../lib/adapters/identity/index.ts'
import { openDatabase } from '../lib/adapters/database/index.ts'
import { createKeptFile } from '../lib/adapters/kept-bytes/file.ts'
import { alsoOpening } from '../lib/crypto/keyring.ts'
import { createLog, type Log } from '../lib/logging/log.ts'
import { createOutages } from '../lib/logging/outages.ts'
import { systemClock } from '../lib/ports/clock.ts'
import type { Database } from '../lib/ports/database.ts'
import { isForge } from '../lib/ports/forge.ts'
import { type KeptBytes, nothingKept } from '../lib/ports/kept-bytes.ts'
import { diskFailure } from './disk-failure.ts'
import { connectionSubjects } from './connections/subjects.ts'
import { openPortalMetrics, type PortalMetrics } from './metrics.ts'
import { openPatiently } from './patience.ts'
import { createPortal } from './portal.ts'
import { moveSecretFolder } from './secret-folder.ts'
import { type Service, StartFailure } from './server.ts'
import { openPortalTracing } from './tracing.ts'
import { requireNoUnfinishedRestore } from './unfinished-restore.ts'
import { CATALOG_READER } from '../version.ts'

/** Builds the portal of the adapters that the configuration chooses. */
export async function openInstallation(config: Config): Promise<Service> {
  const { DATA_DIR: dataDirectory } = config
  mkdirSync(dataDirectory, { recursive: true })
  accessSync(dataDirectory, constants.W_OK)
  requireNoUnfinishedRestore(dataDirectory)
  const metrics = await openPortalMetrics(config, systemClock)
  const log = createLog({ level: config.LOG_LEVEL })
  const outages = createOutages({ clock: systemClock, log: log.events })
  const tracing = await openPortalTracing(config, outages)
  const port: PortalMetrics['port'] = (name, each) => tracing.port(name, metrics.port(name, each))
  const closing = new AbortController()
  const chosen = await openChosenPorts(config, {
    log: log.events,
    onRateLimit: metrics.rateLimited,
    writeTurns: () => database.writeTurns,
    secretVersions: () => database.secretVersions,
    signal: closing.signal,
  })
  if (!chosen.ok) throw new StartFailure(chosen.error.join('\nportico: '), EXIT_CONFIG)
  const { gitHost, secretStore, identity, registry, workloads, databaseAuthority } = chosen.value
  const database = await openPortalDatabase(config, databaseAuthority, log)
  if (config.secretStoreKeys !== null) {
    const url = databaseUrl(config)
    await moveSecretFolder(dataDirectory, url, database.secretVersions, config.secretStoreKeys)
  }
  const portal = createPortal({
    gitHost: port('git_host', gitHost),
    secretStore: port('secret_store', secretStore),
    identity: port('identity', identity),
    kubernetes: port(
      'clusters',
      createKubernetes({ requestsAtOnce: config.BUN_CONFIG_MAX_HTTP_REQUESTS }),
    ),
    clusterRegistry: registry.entries,
    connections: connectionSubjects(config, chosen.value),
    workloads: {
      rules: workloads.entries,
      tokens: metrics.port('identity', openWorkloadTokens(systemClock)),
    },
    parsedCatalog: openParsedCatalog(config),
    assetCache: createDiskAssetCache({
      directory: join(dataDirectory, 'cli-assets'),
      maxBytes: config.CLI_CACHE_MEGABYTES * 1e6,
    }),
    database: port('database', database),
    keyring: config.SESSION_KEYS,
    digestKeyring: alsoOpening(
      config.SECRET_DIGEST_KEYS ?? config.SESSION_KEYS,
      config.SESSION_KEYS,
    ),
    clock: systemClock,
    log: { ...log, access: metrics.access(log.access) },
    publicUrl: config.PUBLIC_URL,
    config,
    ...(isForge(gitHost) && { forge: { host: gitHost } }),
    onRunEnded: metrics.runEnded,
  })
  metrics.observe(portal, database)
  return {
    started: portal.start(),
    fetch: tracing.fetch(
      portal.app.fetch,
      portal.app.elysia.routes.map(({ path }) => path),
    ),
    drain: () => portal.drain(),
    async close() {
      await portal.close()
      await tracing.close()
      closing.abort()
      registry.close()
      workloads.close()
      await log.close()
    },
  }
}

const LISTENING = 'the connection of DATABASE_LISTEN_URL'
const NOT_LISTENING = 'DATABASE_LISTEN_URL is not connected, changes are polled meanwhile'

async function openPortalDatabase(
  config: Config,
  authority: string | null,
  { events }: Log,
): Promise<Database> {
  const outages = createOutages({ clock: systemClock, log: events })
  const open = () =>
    openDatabase(databaseUrl(config), {
      ca: authority,
      listenUrl: config.DATABASE_LISTEN_URL,
      onListening(reason) {
        if (reason === null) outages.worked(LISTENING)
        else outages.failed(LISTENING, reason, { reason }, NOT_LISTENING)
      },
    })
  const database = await openPatiently(open, { log: events })
  if (database.ok) return database.value
  const onItsDisk =
    config.DATABASE_URL === '' ? diskFailure(config.DATA_DIR, database.error.reason) : undefined
  throw onItsDisk ?? new StartFailure(databaseRefusal(databaseUrl(config), database.error))
}

/** Parsed files are valid for the same parser and the same lifecycles. Run from source, nothing is kept. */
const openParsedCatalog = ({ DATA_DIR, ENVIRONMENTS }: Config): KeptBytes =>
  CATALOG_READER === null
    ? nothingKept
    : createKeptFile({
        path: join(DATA_DIR, 'catalog.parsed'),
        writer: `${CATALOG_READER} ${JSON.stringify(ENVIRONMENTS.lifecycles)}`,
      })
