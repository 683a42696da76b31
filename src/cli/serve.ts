import type { Config } from '../config/config.ts'
import { withDiskFailures } from '../compose/disk-failure.ts'
import { runServer } from '../compose/server.ts'
import type { Termination } from '../termination.ts'

/** Runs the service as configured. Loads the rest after the socket listens: see `runServer`. */
export function serve(config: Config, termination: Termination): void {
  runServer({
    termination,
    host: config.HOST,
    port: config.PORT,
    async prepare() {
      const { openInstallation } = await import('../compose/installation.ts')
      return withDiskFailures(config.DATA_DIR, () => openInstallation(config))
    },
    onReady: ({ url }) => console.error(`Portico ready on ${url.origin}`),
  })
}
