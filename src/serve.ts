import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { runServer, StartFailure } from './portal/server.ts'
import { CATALOG_READER } from './version.ts'

/** Runs the service as configured. Adapters are loaded after the socket listens: see `runServer`. */
export function serve(config: Config): void {
  runServer({
    host: config.HOST,
    port: config.PORT,
    async prepare() {
      const [
        { gitHosts },
        { createKeptFile },
        { createPortalCatalog },
        { createLog },
        { systemClock },
        { openPortalMetrics },
      ] = await Promise.all([
        import('./lib/adapters/git-host/index.ts'),
        import('./lib/adapters/kept-bytes/file.ts'),
        import('./portal/catalog.ts'),
        import('./lib/logging/log.ts'),
        import('./lib/ports/clock.ts'),
        import('./portal/metrics.ts'),
      ])
      const metrics = await openPortalMetrics(config, systemClock)
      mkdirSync(config.DATA_DIR, { recursive: true })
      const log = createLog({ level: config.LOG_LEVEL })
      const missing = gitHosts[config.GIT_HOST].missing()
      const gitHost = metrics.port(
        'git_host',
        gitHosts[config.GIT_HOST].create({
          directory: join(config.DATA_DIR, 'git'),
          publicUrl: config.PUBLIC_URL.origin,
        }),
      )
      const catalog = createPortalCatalog({
        gitHost,
        clock: systemClock,
        log,
        config,
        ...(CATALOG_READER !== null && {
          openKept: (lifecycles) =>
            createKeptFile({
              path: join(config.DATA_DIR, 'catalog.parsed'),
              writer: `${CATALOG_READER} ${JSON.stringify(lifecycles)}`,
            }),
        }),
      })
      catalog.preload()

      const [
        { createDiskAssetCache },
        { openDatabase },
        { createKubernetes },
        { openIdentityProvider },
        { secretStores },
        { openClusterRegistry },
        { createPortal },
      ] = await Promise.all([
        import('./lib/adapters/asset-cache/disk.ts'),
        import('./lib/adapters/database/index.ts'),
        import('./lib/adapters/clusters/index.ts'),
        import('./lib/adapters/identity/index.ts'),
        import('./lib/adapters/secret-store/index.ts'),
        import('./portal/cluster-registry.ts'),
        import('./portal/portal.ts'),
      ])
      const registry = config.CLUSTERS_FILE
        ? openClusterRegistry({ path: config.CLUSTERS_FILE, clock: systemClock, log: log.events })
        : undefined
      const lack = await missing
      if (lack !== undefined) throw new StartFailure(lack)
      if (registry?.ok === false) throw new StartFailure(registry.error.join('\n'))
      const database = await openDatabase(
        config.DATABASE_URL || `sqlite:${join(config.DATA_DIR, 'portico.sqlite')}`,
      )
      if (!database.ok) throw new StartFailure(`DATABASE_URL: ${database.error.reason}`)
      const portal = createPortal({
        gitHost,
        secretStore: metrics.port(
          'secret_store',
          secretStores[config.SECRET_STORE]({
            directory: join(config.DATA_DIR, 'secrets'),
            keyring: config.SECRET_STORE_KEYS,
          }),
        ),
        identity: metrics.port(
          'identity',
          await openIdentityProvider(
            config.OIDC_ISSUER && {
              issuer: config.OIDC_ISSUER,
              clientId: config.OIDC_CLIENT_ID,
              clientSecret: config.OIDC_CLIENT_SECRET,
              groupsClaim: config.OIDC_GROUPS_CLAIM,
              clock: systemClock,
            },
          ),
        ),
        kubernetes: metrics.port(
          'clusters',
          createKubernetes({ requestsAtOnce: config.BUN_CONFIG_MAX_HTTP_REQUESTS }),
        ),
        clusterRegistry: registry?.value.clusters ?? (() => []),
        catalog,
        assetCache: createDiskAssetCache({
          directory: join(config.DATA_DIR, 'cli-assets'),
          maxBytes: config.CLI_CACHE_MEGABYTES * 1e6,
        }),
        database: metrics.port('database', database.value),
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
          registry?.value.close()
          await log.close()
        },
      }
    },
    onReady: ({ url }) => console.error(`Portico ready on ${url.origin}`),
  })
}
