import type { Config } from '../config.ts'
import { type Catalog, createCatalog } from '../lib/domain/catalog/catalog.ts'
import { createKeptFiles } from '../lib/domain/catalog/kept-files.ts'
import { type CatalogParser, createCatalogParser } from '../lib/domain/catalog/parser.ts'
import { LIFECYCLES } from '../lib/domain/promotion/pipeline.ts'
import type { Log } from '../lib/logging/log.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { GitHost } from '../lib/ports/git-host.ts'
import { type KeptBytes, nothingKept } from '../lib/ports/kept-bytes.ts'

/** What the catalog needs from outside, and how it is set. */
export interface PortalCatalogOptions {
  readonly gitHost: GitHost
  readonly clock: Clock
  readonly log: Pick<Log, 'events'>
  /** Opens the store of parsed files for one list of lifecycles: files that were parsed with another list must not be found. */
  readonly openKept?: (lifecycles: readonly string[]) => KeptBytes
  readonly config: Pick<
    Config,
    'GITOPS_REPOSITORY' | 'CATALOG_DIRECTORY' | 'CATALOG_TTL_SECONDS' | 'CATALOG_MAX_STALE_SECONDS'
  >
}

export interface PortalCatalog {
  readonly catalog: Catalog
  readonly parser: CatalogParser
  /** Begins to load while the rest is loaded. */
  preload(): void
}

export function createPortalCatalog({
  gitHost,
  clock,
  log,
  openKept = () => nothingKept,
  config,
}: PortalCatalogOptions): PortalCatalog {
  const lifecycles = LIFECYCLES
  const parser = createCatalogParser({ lifecycles })
  const catalog = createCatalog({
    gitHost,
    repository: config.GITOPS_REPOSITORY,
    directory: config.CATALOG_DIRECTORY,
    parser,
    kept: createKeptFiles({
      kept: openKept(lifecycles),
      onNotKept: (failure) => log.events.warn(failure, 'parsed catalog not kept'),
    }),
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
    preload: () => void catalog.read(),
  }
}
