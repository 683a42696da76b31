import { pause } from '../../concurrency/pauses.ts'
import type {
  Cluster,
  ClusterFailure,
  Page,
  Selection,
  Watch,
  WatchChange,
  WatchStart,
} from '../../ports/clusters.ts'
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
export type FeedEvents<View, Failure = ClusterFailure> = AsyncGenerator<
  FeedEvent<View>,
  Failure | null,
  void
>

/** The next view of an object that does not change: a status that depends on the time. */
export interface Later<View> {
  readonly afterMs: number
  readonly view: View
}

/** How far a feed has come. One with the next token goes on from there. */
export interface FeedPosition {
  /** Everything up to this version was sent; `null`: a list comes first. */
  version: string | null
  cluster: Cluster | null
}

export const newPosition = (): FeedPosition => ({ version: null, cluster: null })

export interface FollowOptions<View> extends Selection {
  readonly list: (after: string | null) => Promise<Result<Page<View>, ClusterFailure>>
  readonly watch: (from: WatchStart) => Watch<View>
  readonly signal: AbortSignal
  readonly later?: (view: View) => Later<View> | null
  /** The position to begin at. The end of the feed writes its own position there. */
  readonly position?: FeedPosition
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

/** The longest delay of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * A list, unless the position says that it was sent, and all later changes, until the signal aborts or a failure. Holds at most one page
 * of the list at a time, and the views that change by themselves.
 */
export async function* follow<View extends Identified>({
  labelSelector,
  name,
  list,
  watch,
  signal,
  later = () => null,
  position = newPosition(),
  pauseMs = PAUSE_MS,
  onEnd,
}: FollowOptions<View>): FeedEvents<View> {
  try {
    while (!signal.aborted) {
      const changing: View[] = []
      const known = position.version
      position.version = null
      const resourceVersion =
        known === null
          ? yield* snapshots(async (after) => {
              const page = await list(after)
              if (page.ok) changing.push(...page.value.items.filter((view) => later(view) !== null))
              return page
            })
          : ok(known)
      const failure = resourceVersion.ok
        ? yield* latestChanges({
            watch,
            from: { resourceVersion: resourceVersion.value, labelSelector, name },
            signal,
            later,
            changing,
            position,
            pauseMs,
          })
        : resourceVersion.error
      if (signal.aborted || failure === null) return null
      position.version = null
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
  later = () => null,
  changing = [],
  position = newPosition(),
  pauseMs,
}: Pick<FollowOptions<View>, 'watch' | 'signal' | 'later' | 'position'> & {
  readonly from: WatchStart
  /** Views that were sent before, and change by themselves. */
  readonly changing?: readonly View[]
  readonly pauseMs: number
}): FeedEvents<View> {
  type Unsent = Pick<Exclude<WatchChange<View>, { kind: 'bookmark' }>, 'kind' | 'item' | 'bytes'>
  let unsent = new Map<string, Unsent>()
  let unsentBytes = 0
  let wake = Promise.withResolvers<void>()
  /** Versions up to which everything was received, and sent on. */
  let received = from.resourceVersion
  let sent = received
  let isSending = false
  let isOver = false
  const over = () => {
    isOver = true
    wake.resolve()
  }
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  for (const view of changing) awaitLater(view)
  const reading = readAll()
  // Not a race: the pending promise of a long watch would retain every race that it was part of.
  reading.then(over, over)

  try {
    for (;;) {
      if (unsent.size === 0) {
        if (!isOver) await wake.promise
        if (isOver && unsent.size === 0) return reading
      }
      const changes = unsent.values()
      const version = received
      isSending = true
      clearUnsent()
      wake = Promise.withResolvers<void>()
      for (const { kind, item } of changes) {
        // A slow client must not get what was read before its right ended.
        if (signal.aborted) return null
        yield { kind, item }
      }
      sent = version
      isSending = false
      await pause(pauseMs, signal)
    }
  } finally {
    // A feed that goes on from here would not know of views that change by themselves.
    if (timers.size === 0) position.version = sent
    for (const timer of timers.values()) clearTimeout(timer)
  }

  async function readAll(): Promise<ClusterFailure | null> {
    while (!signal.aborted) {
      for await (const change of watch({ ...from, resourceVersion: received })) {
        if (!change.ok) return change.error
        received = change.value.resourceVersion
        if (change.value.kind === 'bookmark') {
          if (unsent.size === 0 && !isSending) sent = received
          continue
        }
        const { kind, item } = change.value
        add(change.value)
        clearTimeout(timers.get(item.uid))
        timers.delete(item.uid)
        if (kind === 'set') awaitLater(item)
        if (unsentBytes > UNSENT_MAX_BYTES) {
          clearUnsent()
          return { kind: 'cluster_expired' }
        }
      }
      await pause(pauseMs, signal)
    }
    return null
  }

  function add(change: Unsent): void {
    const { uid } = change.item
    unsentBytes += change.bytes - (unsent.get(uid)?.bytes ?? 0)
    unsent.set(uid, change)
    wake.resolve()
  }

  function awaitLater(view: View): void {
    const next = later(view)
    if (next === null) return
    const become = () => add({ kind: 'set', item: next.view, bytes: 0 })
    timers.set(view.uid, setTimeout(become, Math.min(next.afterMs, TIMER_MAX_MS)))
  }

  function clearUnsent(): void {
    unsent = new Map()
    unsentBytes = 0
  }
}
