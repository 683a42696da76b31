import type { Config } from './config.ts'
import { type Catalog, createCatalog } from './lib/domain/catalog/catalog.ts'
import { type CatalogParser, createCatalogParser } from './lib/domain/catalog/parser.ts'
import type { Log } from './lib/log.ts'
import type { Clock } from './lib/ports/clock.ts'
import type { GitHost } from './lib/ports/git-host.ts'

/** What the catalog needs from outside, and how it is set. */
export interface PortalCatalogOptions {
  readonly gitHost: GitHost
  readonly clock: Clock
  readonly log: Pick<Log, 'events'>
  readonly config: Pick<
    Config,
    'GITOPS_REPOSITORY' | 'CATALOG_DIRECTORY' | 'CATALOG_TTL_SECONDS' | 'CATALOG_MAX_STALE_SECONDS'
  >
}

export interface PortalCatalog {
  readonly catalog: Catalog
  readonly parser: CatalogParser
  /** Puts git and the parser to work while the rest is loaded. */
  preload(): void
}

export function createPortalCatalog({
  gitHost,
  clock,
  log,
  config,
}: PortalCatalogOptions): PortalCatalog {
  const parser = createCatalogParser()
  const catalog = createCatalog({
    gitHost,
    repository: config.GITOPS_REPOSITORY,
    directory: config.CATALOG_DIRECTORY,
    parser,
    clock,
    ttlSeconds: config.CATALOG_TTL_SECONDS,
    maxStaleSeconds: config.CATALOG_MAX_STALE_SECONDS,
    onLoaded: (outcome, tookMs) => {
      if (!outcome.ok) log.events.error({ failure: outcome.error, tookMs }, 'catalog not loaded')
      else log.events.debug({ revision: outcome.value.commit, tookMs }, 'catalog loaded')
    },
  })
  return {
    catalog,
    parser,
    preload() {
      parser.warm()
      void catalog.read()
    },
  }
}
