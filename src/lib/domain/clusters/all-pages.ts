import type { ClusterFailure, Page } from '../../ports/clusters.ts'
import { ok, type Result } from '../../result.ts'

/** Nobody waits longer for what is read from a cluster, however many pages it has. */
const READ_MS = 10_000

export const withReadDeadline = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])

export interface AllPages<Item> {
  readonly items: readonly Item[]
  /** Whether the list ended within the limit of pages. */
  readonly isComplete: boolean
}

/** The items of a list, page by page. An API server may return shorter pages than requested, but not endlessly. */
export async function readAllPages<Item>(
  pagesMax: number,
  read: (after: string | null) => Promise<Result<Page<Item>, ClusterFailure>>,
): Promise<Result<AllPages<Item>, ClusterFailure>> {
  const items: Item[] = []
  let after: string | null = null
  for (let pages = 0; pages < pagesMax; pages++) {
    const page: Result<Page<Item>, ClusterFailure> = await read(after)
    if (!page.ok) return page
    items.push(...page.value.items)
    after = page.value.next
    if (after === null) return ok({ items, isComplete: true })
  }
  return ok({ items, isComplete: false })
}
