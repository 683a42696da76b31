import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { runServer, StartFailure } from './server.ts'

/** Runs the service as configured. Adapters are loaded after the socket listens: see `runServer`. */
export function serve(config: Config): void {
  runServer({
    host: config.HOST,
    port: config.PORT,
    async prepare() {
      const [{ gitHosts }, { createPortalCatalog }, { createLog }, { systemClock }] =
        await Promise.all([
          import('./lib/adapters/git-host/index.ts'),
          import('./portal-catalog.ts'),
          import('./lib/log.ts'),
          import('./lib/ports/clock.ts'),
        ])
      mkdirSync(config.DATA_DIR, { recursive: true })
      const log = createLog({ level: config.LOG_LEVEL })
      const gitHost = gitHosts[config.GIT_HOST]({
        directory: join(config.DATA_DIR, 'git'),
        publicUrl: config.PUBLIC_URL.origin,
      })
      const catalog = createPortalCatalog({ gitHost, clock: systemClock, log, config })
      catalog.preload()

      const [{ openDatabase }, { secretStores }, { createPortal }] = await Promise.all([
        import('./lib/adapters/database/index.ts'),
        import('./lib/adapters/secret-store/index.ts'),
        import('./portal.ts'),
      ])
      const database = await openDatabase(
        config.DATABASE_URL || `sqlite:${join(config.DATA_DIR, 'portico.sqlite')}`,
      )
      if (!database.ok) throw new StartFailure(`DATABASE_URL: ${database.error.reason}`)
      const portal = createPortal({
        gitHost,
        secretStore: secretStores[config.SECRET_STORE]({
          directory: join(config.DATA_DIR, 'secrets'),
          keyring: config.SECRET_STORE_KEYS,
        }),
        catalog,
        database: database.value,
        keyring: config.SESSION_KEYS,
        clock: systemClock,
        log,
        publicUrl: config.PUBLIC_URL,
        config,
      })
      portal.start()
      return {
        fetch: portal.app.fetch,
        drain: () => portal.drain(),
        async close() {
          await portal.close()
          await log.close()
        },
      }
    },
    onReady: ({ url }) => console.error(`Portico ready on ${url.origin}`),
  })
}
