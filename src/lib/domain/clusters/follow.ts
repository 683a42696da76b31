import type { ClusterFailure, Page, Watch, WatchStart } from '../../ports/clusters.ts'
import { ok, type Result } from '../../result.ts'
import { latestChanges, pause } from './latest-changes.ts'

export type Followed<Shown> =
  /** A part of everything there is: from the `first` to the `last`. They come first, and again whenever changes were missed. */
  | {
      readonly kind: 'snapshot'
      readonly items: readonly Shown[]
      readonly first: boolean
      readonly last: boolean
    }
  | { readonly kind: 'set'; readonly item: Shown }
  | { readonly kind: 'removed'; readonly item: Shown }

export interface FollowOptions<Item, Shown> {
  readonly labelSelector: string | null
  /** The first page, or the one that follows. */
  readonly page: (after: string | null) => Promise<Result<Page<Shown>, ClusterFailure>>
  readonly watch: (from: WatchStart) => Watch<Item>
  readonly show: (item: Item) => Shown
  readonly signal: AbortSignal
  readonly pauseMs?: number
}

type Following<Shown, End> = AsyncGenerator<Followed<Shown>, End, void>

/** A rollout changes the status of a pod many times a second. */
const PAUSE_MS = 500
/** A list costs an API server more than a watch. */
const RELIST_PAUSES = 4

/** What a list shows and every change of it, until the signal ends, or a failure does. No more than a page is held at a time. */
export async function* follow<Item extends { readonly metadata: { readonly uid: string } }, Shown>({
  labelSelector,
  page,
  watch,
  show,
  signal,
  pauseMs = PAUSE_MS,
}: FollowOptions<Item, Shown>): Following<Shown, ClusterFailure | null> {
  while (!signal.aborted) {
    const listed = yield* everything(page)
    const failure = listed.ok
      ? yield* latestChanges({
          watch,
          show,
          from: { resourceVersion: listed.value, labelSelector },
          signal,
          pauseMs,
        })
      : listed.error
    if (signal.aborted || failure === null) return null
    if (failure.kind !== 'cluster_expired') return failure
    await pause(RELIST_PAUSES * pauseMs, signal)
  }
  return null
}

/** Ends with the version that the first page was of: the later ones are of the same, or changes are told twice. */
async function* everything<Shown>(
  page: FollowOptions<never, Shown>['page'],
): Following<Shown, Result<string, ClusterFailure>> {
  let begun: string | undefined
  let after: string | null = null
  for (;;) {
    const read = await page(after)
    if (!read.ok) return read
    const { items, next, resourceVersion } = read.value
    yield { kind: 'snapshot', items, first: begun === undefined, last: next === null }
    begun ??= resourceVersion
    if (next === null) return ok(begun)
    after = next
  }
}
