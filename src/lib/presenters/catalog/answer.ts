import type { CachedValue, CacheRead } from '../../concurrency/ttl-cache.ts'
import type { LoadFailure } from '../../domain/catalog/load-failure.ts'
import { problem } from '../../http/problem.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import type { ObjectId } from '../../names.ts'

/** Answers from the catalog, or from another cache of the repository, or with a problem if it cannot be loaded. */
export async function fromCatalog<Value>(
  request: Request,
  read: CacheRead<Value, LoadFailure> | Promise<CacheRead<Value, LoadFailure>>,
  answer: (cached: CachedValue<Value>) => Response | Promise<Response>,
): Promise<Response> {
  const cached = await read
  return cached.ok ? answer(cached.value) : problem(request, cached.error)
}

type Cached = CachedValue<{ readonly commit: ObjectId }>

/** Headers of a JSON answer from such a cache: its revision and age, and those of the route. */
export const catalogHeaders = (
  cached: Cached,
  now: number,
  headers: Readonly<Record<string, string>> = {},
): Headers =>
  new Headers({
    ...securityHeaders,
    ...headers,
    'content-type': 'application/json',
    'x-catalog-revision': cached.value.commit,
    'x-catalog-age': String(ageSeconds(cached, now)),
    ...(cached.stale && { 'x-catalog-stale': 'true' }),
  })

const ageSeconds = ({ loadedAt }: Cached, now: number): number =>
  Math.max(0, Math.floor((now - loadedAt) / 1_000))

/**
 * The same for one answer that is sent again and again: made once for a revision and an age. Copied by every `Response`; the caller
 * must not change them.
 */
export function keptCatalogHeaders(headersOf: (commit: ObjectId) => Record<string, string>) {
  let kept: { headers: Headers; commit: ObjectId; age: number; stale: boolean } | undefined
  return (cached: Cached, now: number): Headers => {
    const age = ageSeconds(cached, now)
    const { value, stale } = cached
    if (kept?.age !== age || kept.commit !== value.commit || kept.stale !== stale) {
      const headers = catalogHeaders(cached, now, headersOf(value.commit))
      kept = { headers, commit: value.commit, age, stale }
    }
    return kept.headers
  }
}

export const catalogHeaderDocs = {
  'X-Catalog-Revision': 'Commit of the gitops repository',
  'X-Catalog-Age': 'Seconds since the catalog was loaded or found unchanged',
  'X-Catalog-Stale':
    '`true` when older data is served, because the repository cannot be read or has lost all its entities, or because files of a large change are still to be read: their entities are as they were before',
}
