import { pause } from '../../../concurrency/pauses.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Kubernetes } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { recheck, RECHECK_EVERY_MS } from '../../access/sessions/recheck.ts'
import type { Sessions } from '../../access/sessions/sessions.ts'
import { createFair, type Fair } from '../../../concurrency/fair.ts'
import { keyOf } from '../../limits/person-key.ts'
import type { Access, AccessFailure, ClusterRequest } from '../access.ts'
import type { Feed, FeedFailure } from '../feed.ts'
import type { FeedEvent, FeedEvents } from '../follow.ts'
import { listFailure } from '../listing.ts'
import type { TooManyStreams } from '../open-streams.ts'
import { type FactsSource, type ObjectFacts, RESOURCES } from '../resources.ts'
import { joinWorkloads, objectsOf, type Workload } from './join.ts'
import { failureOfAll, isAbsent } from './read-workloads.ts'

export interface WorkloadWatchesOptions extends Pick<
  Access,
  'withAccess' | 'mayContinue' | 'onBug'
> {
  readonly kubernetes: Pick<Kubernetes, 'objects'>
  readonly sessions: Pick<Sessions, 'watch'>
  /** Each followed type of objects takes one; without one it is listed now and then. */
  readonly streamSlots: Pick<Fair, 'take'>
  readonly clock: Clock
  readonly times?: Partial<typeof TIMES>
}

const TIMES = {
  /** A watch stays for this long after the last reader has left: pages are polled. */
  idleMs: 60_000,
  /** Changes are collected for this long. */
  pauseMs: 500,
  /** Types without objects, without the right to watch, or without a free slot are listed this often. */
  askEveryMs: 30_000,
  retryMs: 5_000,
  /** Some verdicts change with time alone. */
  refreshMs: 10_000,
  recheckEveryMs: RECHECK_EVERY_MS,
}

/** Watches of a person: one for each session, namespace and selector. */
export const NAMESPACES_PER_PERSON_MAX = 200
/** Beyond these each is listed less often, so that the lists of a person have an upper rate. */
const OFTEN_LISTED_MAX = 40
const WATCHES_MAX = 2_000

/** Pods first: of too few slots they need one most. */
const ROWS = Object.values(RESOURCES).toSorted((one) => (one.kind === 'Pod' ? -1 : 0))

/** The objects of a type as the last list and watch told them. */
interface TypeState {
  readonly kind: string
  readonly source: FactsSource
  items: Map<string, ObjectFacts>
  isListed: boolean
  failure: AccessFailure | undefined
}

/** The workloads of a namespace, as they are now. */
export interface WorkloadWatch {
  /** `null` before the first lists are there. A failure while the cluster cannot be asked. */
  current(): Result<readonly Workload[], FeedFailure> | null
  /** The whole list, then what changes, until `signal` aborts, or the failure. Ends with `null` when the right ends. */
  changes(signal: AbortSignal): FeedEvents<Workload, FeedFailure>
  close(): void
}

export type WorkloadWatches = ReturnType<typeof createWorkloadWatches>

/** The workloads of a namespace as a feed. */
export async function openWorkloadFeed(
  watches: WorkloadWatches,
  request: ClusterRequest,
  labelSelector: string | null,
): Promise<Result<Feed<Workload, FeedFailure>, FeedFailure>> {
  const opened = await watches.open(request, labelSelector)
  if (!opened.ok) return opened
  const watch = opened.value
  const first = watch.current()
  if (first?.ok === false) {
    watch.close()
    return first
  }
  return ok(async function* (reader) {
    try {
      return yield* watch.changes(reader)
    } finally {
      watch.close()
    }
  })
}

/**
 * Follows the objects of namespaces that run pods, once per session, namespace and selector, however many pages read them: all types
 * with one list each, joined in memory. A token that ends is renewed, and a watch goes on where it was. Never shared between sessions:
 * their rights differ. A person who has all their watches loses the oldest that nobody reads for a new one.
 */
export function createWorkloadWatches(options: WorkloadWatchesOptions) {
  const times = { ...TIMES, ...options.times }
  const sources = ROWS.map((row) => ({ kind: row.kind, source: row.sourceIn(options.kubernetes) }))
  const watches = new Map<string, NonNullable<ReturnType<typeof begin>>>()
  const watchSlots = createFair({
    queue: 'workload watches',
    permits: WATCHES_MAX,
    perPerson: NAMESPACES_PER_PERSON_MAX,
  })

  /** The slot of a watch of the person that has no reader. */
  function takeUnread(person: string): (() => void) | undefined {
    const unread = watches.values().find((watch) => watch.person === person && !watch.isOpen())
    unread?.end()
    return unread && watchSlots.take(person)
  }

  /** Interval of the lists of what is not followed. */
  const askEveryMs = (person: string): number =>
    times.askEveryMs * Math.max(1, watchSlots.heldBy(person) / OFTEN_LISTED_MAX)

  function begin(request: ClusterRequest, labelSelector: string | null, key: string) {
    const { withAccess, sessions, streamSlots, clock } = options
    const person = keyOf(request.session.principal)
    const release = watchSlots.take(person) ?? takeUnread(person)
    if (release === undefined) return undefined
    const over = new AbortController()
    const { signal } = over
    const own: ClusterRequest = { ...request, signal }
    const states = sources.map((type): TypeState => ({
      ...type,
      items: new Map(),
      isListed: false,
      failure: undefined,
    }))
    const listeners = new Set<() => void>()
    let readers = 0
    let idle: Timer | undefined
    let version = 0
    let joined: readonly Workload[] = []
    let joinedVersion = -1
    let joinedAt = 0
    let notifying: Timer | undefined
    /** By the API server's clock, once it has been asked. */
    let now = () => clock.now()

    const notify = () => {
      notifying = undefined
      for (const listener of listeners) listener()
    }
    function changed(): void {
      version += 1
      notifying ??= setTimeout(notify, times.pauseMs)
    }
    const refreshing = setInterval(notify, times.refreshMs).unref()

    function end(): void {
      if (signal.aborted) return
      over.abort()
      watches.delete(key)
      clearTimeout(idle)
      clearTimeout(notifying)
      clearInterval(refreshing)
      unwatch()
      stopChecking?.()
      release?.()
      notify()
    }
    const unwatch = sessions.watch(request.session, end)
    let stopChecking: (() => void) | undefined

    /** Lists and follows a type until the end. Resolves the first time that it has been listed. */
    function follow(state: TypeState): Promise<void> {
      const first = Promise.withResolvers<void>()
      const run = async (): Promise<void> => {
        while (!signal.aborted) {
          const listed = await withAccess(own, (access) => {
            if (!signal.aborted)
              stopChecking ??= recheck({
                everyMs: times.recheckEveryMs,
                isHeld: () => options.mayContinue(own, access.cluster),
                onLost: end,
                onBug: (bug) => options.onBug(request, bug),
              })
            now = access.now
            return state.source.list(access, labelSelector)
          })
          if (signal.aborted) return
          state.isListed = true
          state.failure = listed.ok ? undefined : listed.error
          // Objects stay as they were while the API server cannot be asked.
          if (listed.ok) {
            state.items = new Map(listed.value.items.map((each) => [each.uid, each]))
          } else if (isAbsent(listed.error)) state.items.clear()
          changed()
          first.resolve()
          if (!listed.ok) {
            await pause(isAbsent(listed.error) ? askEveryMs(person) : times.retryMs, signal)
            continue
          }
          const releaseSlot = state.items.size === 0 ? undefined : streamSlots.take(person)
          if (releaseSlot === undefined) {
            await pause(askEveryMs(person), signal)
            continue
          }
          try {
            await watchFrom(state, listed.value.resourceVersion)
          } finally {
            releaseSlot()
          }
        }
      }
      void run()
        .catch((bug: unknown) => {
          options.onBug(request, bug)
          end()
        })
        .finally(first.resolve)
      return first.promise
    }

    /** Ends when a new list is due. An expired token or watch resumes from the last version. */
    async function watchFrom(state: TypeState, first: string): Promise<void> {
      let resourceVersion = first
      while (!signal.aborted) {
        const watched = await withAccess(own, async (access) => {
          const from = { resourceVersion, labelSelector }
          for await (const change of state.source.watch(access, from)) {
            if (!change.ok) return change
            ;({ resourceVersion } = change.value)
            if (change.value.kind === 'bookmark') continue
            const { kind, item } = change.value
            if (kind === 'set') state.items.set(item.uid, item)
            else state.items.delete(item.uid)
            changed()
          }
          return ok(undefined)
        })
        if (watched.ok) await pause(times.pauseMs, signal)
        else if (watched.error.kind === 'cluster_expired') return pause(times.retryMs, signal)
        else {
          // The right to watch is another one than the right to list.
          if (isAbsent(watched.error)) return pause(askEveryMs(person), signal)
          state.failure = watched.error
          changed()
          return pause(times.retryMs, signal)
        }
      }
    }

    function failure(): FeedFailure | undefined {
      const failed = failureOfAll(states.map((state) => state.failure))
      return failed && asListFailure(failed, labelSelector)
    }

    function workloads(): readonly Workload[] {
      const at = now()
      if (joinedVersion === version && at - joinedAt < times.pauseMs) return joined
      const before = new Map(joined.map((each) => [each.uid, each]))
      const hasBegun = joinedVersion >= 0
      joinedVersion = version
      joinedAt = at
      joined = joinWorkloads(objectsOf(states.map(typeOf)), at).map((each) => {
        const known = before.get(each.uid)
        // The verdict is as old as it is here; objects tell of their last change alone.
        if (known?.health === each.health) return { ...each, since: known.since }
        const hasChanged = hasBegun && known !== undefined
        return { ...each, since: each.since ?? (hasChanged ? new Date(at).toISOString() : null) }
      })
      return joined
    }

    /** The whole list, then what changes. */
    async function* changes(reader: AbortSignal): FeedEvents<Workload, FeedFailure> {
      let wake = Promise.withResolvers<void>()
      const listener = () => wake.resolve()
      listeners.add(listener)
      reader.addEventListener('abort', listener)
      let sent: ByUid | undefined
      try {
        for (;;) {
          if (reader.aborted || signal.aborted) return null
          const failed = failure()
          if (failed !== undefined) return failed
          wake = Promise.withResolvers()
          const items = workloads()
          const next = new Map(items.map((each) => [each.uid, each]))
          if (sent === undefined) yield { kind: 'snapshot', first: true, last: true, items }
          else yield* changesBetween(sent, next)
          sent = next
          await wake.promise
        }
      } finally {
        listeners.delete(listener)
        reader.removeEventListener('abort', listener)
      }
    }

    const isRead = Promise.all(states.map(follow))

    return {
      person,
      isRead,
      isOpen: () => readers > 0,
      end,
      enter(): WorkloadWatch {
        readers += 1
        clearTimeout(idle)
        let isOpen = true
        return {
          current() {
            const failed = failure()
            if (failed === undefined && states.some(({ isListed }) => !isListed)) return null
            return failed === undefined ? ok(workloads()) : err(failed)
          },
          changes,
          close() {
            if (!isOpen) return
            isOpen = false
            readers -= 1
            if (readers === 0) idle = setTimeout(end, times.idleMs).unref()
          },
        }
      },
    }
  }

  return {
    /** Resolves when every type has been listed, or when `request.signal` aborts. Close it. */
    async open(
      request: ClusterRequest,
      labelSelector: string | null,
    ): Promise<Result<WorkloadWatch, TooManyStreams>> {
      const { session, cluster, namespace, signal } = request
      const key = [session.idHash, cluster, namespace, labelSelector ?? ''].join(' ')
      const known = watches.get(key)
      const watch = known ?? begin(request, labelSelector, key)
      if (watch === undefined) return err({ kind: 'too_many_streams' })
      watches.set(key, watch)
      const entered = watch.enter()
      const left = Promise.withResolvers<void>()
      const leave = () => left.resolve()
      signal.addEventListener('abort', leave, { once: true })
      if (!signal.aborted) await Promise.race([watch.isRead, left.promise])
      signal.removeEventListener('abort', leave)
      return ok(entered)
    },
  }
}

const asListFailure = (failure: AccessFailure, labelSelector: string | null): FeedFailure =>
  failure.kind === 'cluster_invalid' || failure.kind === 'cluster_expired'
    ? listFailure(failure, { labelSelector, cursor: null })
    : failure

/** Objects that were read before stay, unless the person may not read them any more. */
const typeOf = ({ kind, items, failure }: TypeState) => ({
  kind,
  items: failure !== undefined && isAbsent(failure) ? null : items.values(),
})

type ByUid = ReadonlyMap<string, Workload>

function* changesBetween(before: ByUid, now: ByUid): Generator<FeedEvent<Workload>> {
  for (const [uid, item] of before) if (!now.has(uid)) yield { kind: 'removed', item }
  for (const [uid, item] of now) {
    if (!Bun.deepEquals(before.get(uid), item)) yield { kind: 'set', item }
  }
}
