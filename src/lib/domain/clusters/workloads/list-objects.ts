import type { ClusterAccess, ClusterFailure } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { FactsSource, ObjectFacts } from '../resources.ts'

const PAGE_ITEMS = 500
/** More than a namespace has. */
const PAGES_MAX = 100
const ENDLESS = { kind: 'cluster_error', reason: `more than ${PAGES_MAX} pages` } as const

export interface ListedObjects {
  readonly items: readonly ObjectFacts[]
  /** Of the first page: changes since then come by a watch. */
  readonly resourceVersion: string
}

/** All objects of a type in a namespace. */
export async function listObjects(
  source: FactsSource,
  access: ClusterAccess,
  labelSelector: string | null,
): Promise<Result<ListedObjects, ClusterFailure>> {
  const items: ObjectFacts[] = []
  let resourceVersion: string | undefined
  let after: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await source.list(access, { limit: PAGE_ITEMS, after, labelSelector })
    if (!page.ok) return page
    for (const item of page.value.items) items.push(item)
    resourceVersion ??= page.value.resourceVersion
    after = page.value.next
    if (after === null) return ok({ items, resourceVersion })
  }
  return err(ENDLESS)
}
