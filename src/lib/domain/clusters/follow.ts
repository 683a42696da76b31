import type { ClusterFailure, Page, Watch, WatchStart } from '../../ports/clusters.ts'
import type { Result } from '../../result.ts'
import { latestChanges, pause } from './latest-changes.ts'

export type Followed<Shown> =
  /** Everything there is. Comes first, and again whenever changes were missed. */
  | { readonly kind: 'snapshot'; readonly items: readonly Shown[] }
  | { readonly kind: 'set'; readonly item: Shown }
  | { readonly kind: 'removed'; readonly item: Shown }

export interface FollowOptions<Item, Shown, Failure> {
  readonly first: Page<Shown>
  readonly labelSelector: string | null
  readonly list: () => Promise<Result<Page<Shown>, Failure>>
  readonly watch: (from: WatchStart) => Watch<Item>
  readonly show: (item: Item) => Shown
  readonly signal: AbortSignal
  readonly pauseMs?: number
}

/** A rollout changes the status of a pod many times a second. */
const PAUSE_MS = 500
/** A list costs an API server more than a watch. */
const RELIST_PAUSES = 4

/** What a list shows and every change of it, until the signal ends, or a failure does. */
export async function* follow<
  Item extends { readonly metadata: { readonly uid: string } },
  Shown,
  Failure,
>({
  first,
  labelSelector,
  list,
  watch,
  show,
  signal,
  pauseMs = PAUSE_MS,
}: FollowOptions<Item, Shown, Failure>): AsyncGenerator<
  Followed<Shown>,
  ClusterFailure | Failure | null,
  void
> {
  let { items, resourceVersion } = first
  while (!signal.aborted) {
    yield { kind: 'snapshot', items }
    const changes = latestChanges({
      watch,
      from: { resourceVersion, labelSelector },
      signal,
      pauseMs,
    })
    let change = await changes.next()
    for (; change.done !== true; change = await changes.next()) {
      yield { kind: change.value.kind, item: show(change.value.item) }
    }
    if (change.value === null) return null
    if (change.value.kind !== 'cluster_expired') return change.value
    await pause(RELIST_PAUSES * pauseMs, signal)
    const again = await list()
    if (!again.ok) return again.error
    // More than a list shows by now: who asks again is told so.
    if (again.value.next !== null) return change.value
    ;({ items, resourceVersion } = again.value)
  }
  return null
}
