import type { ClusterFailure, Page, Watch, WatchStart } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import { latestChanges, type Watched } from './latest-changes.ts'
import { wait } from './wait.ts'

export type Followed =
  /** A part of everything there is: from the `first` to the `last`. They come first, and again whenever changes were missed. */
  | {
      readonly kind: 'snapshot'
      readonly items: readonly string[]
      readonly first: boolean
      readonly last: boolean
    }
  | { readonly kind: 'set'; readonly item: string }
  | { readonly kind: 'removed'; readonly item: string }

export interface FollowOptions<Item> {
  readonly labelSelector: string | null
  /** The first page, or the one that follows. */
  readonly page: (after: string | null) => Promise<Result<Page<string>, ClusterFailure>>
  readonly watch: (from: WatchStart) => Watch<Item>
  readonly show: (item: Item) => string
  readonly signal: AbortSignal
  readonly pauseMs?: number
}

type Following<End> = AsyncGenerator<Followed, End, void>

/** A rollout changes the status of a pod many times a second. */
const PAUSE_MS = 500
/** A list costs an API server more than a watch. */
const RELIST_PAUSES = 4
/** More than a namespace holds. */
const PAGES_MAX = 2_000
const ENDLESS = { kind: 'cluster_error', reason: `more than ${PAGES_MAX} pages` } as const

/** What a list shows and every change of it, until the signal ends, or a failure does. No more than a page is held at a time. */
export async function* follow<Item extends Watched>({
  labelSelector,
  page,
  watch,
  show,
  signal,
  pauseMs = PAUSE_MS,
}: FollowOptions<Item>): Following<ClusterFailure | null> {
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
    await wait(RELIST_PAUSES * pauseMs, signal)
  }
  return null
}

/** Ends with the version that the first page was of: the later ones are of the same, or changes are told twice. */
async function* everything(
  page: FollowOptions<never>['page'],
): Following<Result<string, ClusterFailure>> {
  let begun: string | undefined
  let after: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const read = await page(after)
    if (!read.ok) return read
    const { items, next, resourceVersion } = read.value
    yield { kind: 'snapshot', items, first: begun === undefined, last: next === null }
    begun ??= resourceVersion
    if (next === null) return ok(begun)
    after = next
  }
  return err(ENDLESS)
}
