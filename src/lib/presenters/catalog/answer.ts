import { Type } from 'typebox'
import type { CatalogRead } from '../../domain/catalog/catalog.ts'
import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import type { Cached } from '../../concurrency/ttl-cache.ts'
import { problem } from '../../http/problem.ts'
import { securityHeaders } from '../../http/security-headers.ts'

/** Answers from the catalog: at once when it is fresh, after the load otherwise, with a problem when there is none. */
export async function fromCatalog(
  request: Request,
  read: CatalogRead | Promise<CatalogRead>,
  answer: (cached: Cached<Snapshot>) => Response | Promise<Response>,
): Promise<Response> {
  const catalog = await read
  return catalog.ok ? answer(catalog.value) : problem(request, catalog.error)
}

/**
 * Headers of answers from the catalog: fixed ones, and where it comes from and how old it is. Made anew once a second and shared
 * until then, because a response takes a ready `Headers` for a third of what an object costs. Nobody changes them: a response
 * has its own copy.
 */
export function createCatalogHeaders(fixed: Readonly<Record<string, string>>) {
  let made:
    { readonly of: string; readonly snapshot: Snapshot; readonly headers: Headers } | undefined
  return ({ value, loadedAt, stale }: Cached<Snapshot>, now: number): Headers => {
    const age = Math.max(0, Math.floor((now - loadedAt) / 1_000))
    const of = `${age} ${stale}`
    if (made?.of === of && made.snapshot === value) return made.headers
    const headers = new Headers({
      ...securityHeaders,
      ...fixed,
      'x-catalog-revision': value.commit,
      'x-catalog-age': String(age),
      ...(stale && { 'x-catalog-stale': 'true' }),
    })
    made = { of, snapshot: value, headers }
    return headers
  }
}

/** How an answer that may be 304 is asked for. */
export const conditionalHeaders = {
  'If-None-Match': Type.String({ description: 'ETags of what there is already' }),
}

export const catalogHeaderDocs = {
  'X-Catalog-Revision': 'Commit of the gitops repository',
  'X-Catalog-Age': 'Seconds since the catalog was last known to be current',
  'X-Catalog-Stale':
    '`true` when the repository cannot be read, or has no entities any more, and older data is served',
}
