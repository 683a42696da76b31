import type { ClusterFailure, ListQuery, Page } from '../../ports/clusters.ts'
import { ok, type Result } from '../../result.ts'

/** Nobody waits longer for what is read from a cluster, however many pages it has. */
const READ_MS = 10_000
/** Items of one request to an API server. */
export const PAGE_ITEMS = 500
/** Requests for one answer. An API server may return shorter pages than requested, but not endlessly. */
const PAGES_MAX = 20

/** The same access for ten seconds. */
export const withReadDeadline = <Access extends { readonly signal: AbortSignal }>(
  access: Access,
): Access => ({
  ...access,
  signal: AbortSignal.any([access.signal, AbortSignal.timeout(READ_MS)]),
})

export interface AllPages<Item> {
  readonly items: readonly Item[]
  /** Whether the list ended within the limit of pages. */
  readonly isComplete: boolean
  /** Resource version of the first page: a watch tells the changes since then. */
  readonly resourceVersion: string
}

/** The items of a list, page by page, without those whose view is `null`. */
export async function readAllPages<Item>(
  read: (
    page: Pick<ListQuery, 'limit' | 'after'>,
  ) => Promise<Result<Page<Item | null>, ClusterFailure>>,
  pagesMax = PAGES_MAX,
): Promise<Result<AllPages<Item>, ClusterFailure>> {
  const items: Item[] = []
  let first: string | undefined
  let after: string | null = null
  for (let pages = 1; ; pages++) {
    const page: Awaited<ReturnType<typeof read>> = await read({ limit: PAGE_ITEMS, after })
    if (!page.ok) return page
    for (const item of page.value.items) if (item !== null) items.push(item)
    const resourceVersion = (first ??= page.value.resourceVersion)
    after = page.value.next
    if (after === null || pages === pagesMax) {
      return ok({ items, isComplete: after === null, resourceVersion })
    }
  }
}
