import type { CatalogRead } from '../../domain/catalog/catalog.ts'
import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import type { CachedValue } from '../../concurrency/ttl-cache.ts'
import { problem } from '../../http/problem.ts'
import { securityHeaders } from '../../http/security-headers.ts'

/** Answers from the catalog, or with a problem if it cannot be loaded. */
export async function fromCatalog(
  request: Request,
  read: CatalogRead | Promise<CatalogRead>,
  answer: (cached: CachedValue<Snapshot>) => Response | Promise<Response>,
): Promise<Response> {
  const catalog = await read
  return catalog.ok ? answer(catalog.value) : problem(request, catalog.error)
}

/** Headers of a JSON answer from the catalog: its revision and age, and those of the route. */
export const catalogHeaders = (
  { value, loadedAt, stale }: CachedValue<Snapshot>,
  now: number,
  headers: Readonly<Record<string, string>> = {},
): Headers =>
  new Headers({
    ...securityHeaders,
    ...headers,
    'content-type': 'application/json',
    'x-catalog-revision': value.commit,
    'x-catalog-age': String(Math.max(0, Math.floor((now - loadedAt) / 1_000))),
    ...(stale && { 'x-catalog-stale': 'true' }),
  })

export const catalogHeaderDocs = {
  'X-Catalog-Revision': 'Commit of the gitops repository',
  'X-Catalog-Age': 'Seconds since the catalog was loaded or found unchanged',
  'X-Catalog-Stale':
    '`true` when older data is served because the repository cannot be read or has lost all its entities',
}
