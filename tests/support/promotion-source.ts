import { createCatalog } from '#src/lib/domain/catalog/catalog.ts'
import { createCatalogParser } from '#src/lib/domain/catalog/parser.ts'
import { createAppsReader } from '#src/lib/domain/promotion/overview/apps-reader.ts'
import { type RepositoryId, RepositoryPath } from '#src/lib/names.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { pipelineOf } from './pipeline.ts'

/** The options of a promotion that come from the gitops repository. Close the parser in the end. */
export function promotionSource(gitHost: GitHost, repository: RepositoryId) {
  const pipeline = pipelineOf()
  const parser = createCatalogParser({ lifecycles: pipeline.lifecycles })
  const catalog = createCatalog({
    gitHost,
    repository,
    directory: RepositoryPath.of('catalog'),
    parser,
    kept: {
      recall: async () => new Map(),
      restore: async () => undefined,
      remember: () => undefined,
      confirm: () => undefined,
    },
    clock,
    ttlSeconds: 300,
    maxStaleSeconds: 0,
  })
  const options = {
    gitHost,
    repository,
    catalog: { ...catalog, invalidate: () => Promise.reject(new Error('the test is wrong')) },
    apps: createAppsReader(gitHost, repository, pipeline),
    clock,
    platformGroup: 'platform-team',
    pipeline,
  }
  return { parser, options }
}
