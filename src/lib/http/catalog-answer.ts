import type { CatalogRead } from '../domain/catalog/catalog.ts'
import type { Snapshot } from '../domain/catalog/snapshot.ts'
import type { Cached } from '../domain/catalog/ttl-cache.ts'
import { andThen, type NowOrLater } from './now-or-later.ts'
import { problem } from './problem.ts'

/** Answers from the catalog: at once when it is fresh, after the load otherwise, with a problem when there is none. */
export const fromCatalog = (
  request: Request,
  read: NowOrLater<CatalogRead>,
  answer: (cached: Cached<Snapshot>) => NowOrLater<Response>,
): NowOrLater<Response> =>
  andThen(read, (outcome) => (outcome.ok ? answer(outcome.value) : problem(request, outcome.error)))

/** What every answer from the catalog says about where it comes from and how old it is. */
export const catalogHeaders = ({ value, loadedAt, stale }: Cached<Snapshot>, now: number) => ({
  'x-catalog-revision': value.commit,
  'x-catalog-age': String(Math.max(0, Math.floor((now - loadedAt) / 1_000))),
  ...(stale && { 'x-catalog-stale': 'true' }),
})

export const catalogHeaderDocs = {
  'X-Catalog-Revision': 'Commit of the gitops repository',
  'X-Catalog-Age': 'Seconds since the catalog was last known to be current',
  'X-Catalog-Stale':
    '`true` when the repository cannot be read, or has no entities any more, and older data is served',
}
