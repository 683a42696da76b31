import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterFailure, Page, Watch, WatchChange, WatchStart } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'

export type FeedEvent<View> =
  /** A part of the whole list, from the `first` to the `last`: at the start, and again whenever changes were missed. */
  | {
      readonly kind: 'snapshot'
      readonly first: boolean
      readonly last: boolean
      readonly items: readonly View[]
    }
  | { readonly kind: 'set' | 'removed'; readonly item: View }

/** The event without its kind, as clients get it. */
export function valueOf<View>(event: FeedEvent<View>) {
  if (event.kind !== 'snapshot') return event.item
  const { first, last, items } = event
  return { first, last, items }
}

/** Ends with `null` when the signal aborts. */
export type FeedEvents<View> = AsyncGenerator<FeedEvent<View>, ClusterFailure | null, void>

export interface FollowOptions<View> {
  readonly labelSelector: string | null
  readonly list: (after: string | null) => Promise<Result<Page<View>, ClusterFailure>>
  readonly watch: (from: WatchStart) => Watch<View>
  readonly signal: AbortSignal
  readonly pauseMs?: number
  /** Called when the events have ended, unless nobody has asked for one. */
  readonly onEnd?: () => void
}

export interface Identified {
  readonly uid: string
}

/** Upper bound of the rate at which one object is sent: a rollout changes a pod many times a second. */
const PAUSE_MS = 500
/** A list costs an API server more than a watch. */
const RELIST_PAUSES = 4
/** More pages than a namespace has. */
const PAGES_MAX = 2_000
const ENDLESS = { kind: 'cluster_error', reason: `more than ${PAGES_MAX} pages` } as const
/** Upper bound of unsent changes per client, by the size of the API server's messages. */
const UNSENT_MAX_BYTES = 32 * 1024 * 1024

/** A list and all later changes, until the signal aborts or a failure. Holds at most one page of the list at a time. */
export async function* follow<View extends Identified>({
  labelSelector,
  list,
  watch,
  signal,
  pauseMs = PAUSE_MS,
  onEnd,
}: FollowOptions<View>): FeedEvents<View> {
  try {
    while (!signal.aborted) {
      const resourceVersion = yield* snapshots(list)
      const failure = resourceVersion.ok
        ? yield* latestChanges({
            watch,
            from: { resourceVersion: resourceVersion.value, labelSelector },
            signal,
            pauseMs,
          })
        : resourceVersion.error
      if (signal.aborted || failure === null) return null
      if (failure.kind !== 'cluster_expired') return failure
      await pause(RELIST_PAUSES * pauseMs, signal)
    }
    return null
  } finally {
    onEnd?.()
  }
}

/** Returns the version of the first page. Later pages are of the same version, or their changes are sent twice. */
async function* snapshots<View>(
  list: FollowOptions<View>['list'],
): AsyncGenerator<FeedEvent<View>, Result<string, ClusterFailure>, void> {
  let version: string | undefined
  let after: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await list(after)
    if (!page.ok) return page
    const { items, next, resourceVersion } = page.value
    yield { kind: 'snapshot', first: version === undefined, last: next === null, items }
    version ??= resourceVersion
    if (next === null) return ok(version)
    after = next
  }
  return err(ENDLESS)
}

/**
 * Changes after `from`. Resumes a watch that the API server ends. Of several changes of one object within a pause only the last
 * is sent. When a slow reader exceeds the bound of unsent changes the watch counts as expired, and a new list is due.
 */
export async function* latestChanges<View extends Identified>({
  watch,
  from,
  signal,
  pauseMs,
}: Pick<FollowOptions<View>, 'watch' | 'signal'> & {
  readonly from: WatchStart
  readonly pauseMs: number
}): FeedEvents<View> {
  let unsent = new Map<string, Exclude<WatchChange<View>, { kind: 'bookmark' }>>()
  let unsentBytes = 0
  let wake = Promise.withResolvers<void>()
  let isOver = false
  const over = () => {
    isOver = true
    wake.resolve()
  }
  const reading = readAll()
  // Not a race: the pending promise of a long watch would retain every race that it was part of.
  reading.then(over, over)

  for (;;) {
    if (unsent.size === 0) {
      if (!isOver) await wake.promise
      if (isOver && unsent.size === 0) return reading
    }
    const changes = unsent.values()
    clearUnsent()
    wake = Promise.withResolvers<void>()
    for (const { kind, item } of changes) {
      // A slow client must not get what was read before its right ended.
      if (signal.aborted) return null
      yield { kind, item }
    }
    await pause(pauseMs, signal)
  }

  async function readAll(): Promise<ClusterFailure | null> {
    let { resourceVersion } = from
    while (!signal.aborted) {
      for await (const change of watch({ ...from, resourceVersion })) {
        if (!change.ok) return change.error
        ;({ resourceVersion } = change.value)
        if (change.value.kind === 'bookmark') continue
        const { uid } = change.value.item
        unsentBytes += change.value.bytes - (unsent.get(uid)?.bytes ?? 0)
        unsent.set(uid, change.value)
        if (unsentBytes > UNSENT_MAX_BYTES) {
          clearUnsent()
          return { kind: 'cluster_expired' }
        }
        wake.resolve()
      }
      await pause(pauseMs, signal)
    }
    return null
  }

  function clearUnsent(): void {
    unsent = new Map()
    unsentBytes = 0
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
